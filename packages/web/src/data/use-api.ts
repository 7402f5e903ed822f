import type { NativeClient } from "@caret/protocol";
import { usePageData } from "./page-data-context.tsx";

export function useApi(): NativeClient {
  return usePageData().api;
}
