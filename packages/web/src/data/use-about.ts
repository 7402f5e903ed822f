import type { AboutView } from "@caret/protocol";
import { usePageState } from "./use-page-state.ts";

export function useAbout(): AboutView | undefined {
  return usePageState(({ about }) => about);
}
