import { useStore } from "zustand";
import { usePageData } from "./page-data-context.tsx";
import type { PageState } from "./page-state.ts";

/** Part of what the page knows; the component is drawn again when that part changes. */
export function usePageState<Part>(select: (state: PageState) => Part): Part {
  return useStore(usePageData().store, select);
}
