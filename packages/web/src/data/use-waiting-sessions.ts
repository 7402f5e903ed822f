import type { SessionView } from "@caret/protocol";
import { useMemo } from "react";
import { waitingSessions } from "./session-list.ts";
import { usePageState } from "./use-page-state.ts";

/** Those that wait for a person, the longest wait first. */
export function useWaitingSessions(): readonly SessionView[] {
  const sessions = usePageState(({ sessions }) => sessions);
  return useMemo(() => waitingSessions(sessions), [sessions]);
}
