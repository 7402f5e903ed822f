import type { ModelView } from "@caret/protocol";
import { useEffect } from "react";
import { usePageData } from "./page-data-context.tsx";
import { usePageState } from "./use-page-state.ts";

/** `undefined` until they are there. */
export function useModels(): readonly ModelView[] | undefined {
  const data = usePageData();
  const models = usePageState(({ models }) => models);
  useEffect(() => {
    // Choosing a model then works by its name; the doctor tells what is wrong.
    data.loadModels().catch(() => undefined);
  }, [data]);
  return models;
}
