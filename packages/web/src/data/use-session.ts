import type { SessionView } from "@caret/protocol";
import { useEffect } from "react";
import { usePageData } from "./page-data-context.tsx";
import { usePageState } from "./use-page-state.ts";

/** A session that the list does not hold is asked for. */
export function useSession(sessionId: string): SessionView | undefined {
  const { api, put } = usePageData();
  const session = usePageState(({ sessions }) => sessions.get(sessionId));
  const isMissing = session === undefined;
  useEffect(() => {
    if (!isMissing) return;
    const asking = new AbortController();
    // That it is gone, its log says too, and there it is shown.
    api.getSession(sessionId, { signal: asking.signal }).then(put, () => undefined);
    return () => asking.abort();
  }, [api, put, sessionId, isMissing]);
  return session;
}
