import type { Line } from "./page-state.ts";
import { usePageState } from "./use-page-state.ts";

export function useLine(): Line {
  return usePageState(({ line }) => line);
}
