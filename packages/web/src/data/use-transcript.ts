import { useEffect } from "react";
import { usePageData } from "./page-data-context.tsx";
import type { SessionLog } from "./page-state.ts";
import { usePageState } from "./use-page-state.ts";

/** What the page has of the session's log, kept up to date as long as the component is there. */
export function useTranscript(sessionId: string): SessionLog | undefined {
  const { logs } = usePageData();
  useEffect(() => logs.open(sessionId), [logs, sessionId]);
  return usePageState(({ logs }) => logs.get(sessionId));
}
