import type { SessionView } from "@caret/protocol";
import { useMemo } from "react";
import { sortSessions } from "./session-list.ts";
import { usePageState } from "./use-page-state.ts";

/** The list, newest first, archived ones left out. */
export function useSessions(): readonly SessionView[] {
  const sessions = usePageState(({ sessions }) => sessions);
  const listed = usePageState(({ listed }) => listed);
  return useMemo(() => sortSessions(sessions, listed, ({ archived }) => !archived), [sessions, listed]);
}
