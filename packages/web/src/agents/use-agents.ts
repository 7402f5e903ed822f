import type { AgentView } from "@caret/protocol";
import { useEffect, useRef, useState } from "react";
import { useApi, usePageState } from "../data/page-hooks.ts";
import { type Loaded, useLoaded } from "../screen/loaded-view.tsx";

/** How long changes are gathered before the list is read again. */
const GATHER_MS = 300;

/** The agents, read again when anything of their sessions changed: their queues are announced with them. */
export function useAgents(): Loaded<readonly AgentView[]> {
  const api = useApi();
  return useLoaded("agents", (signal) => api.listAgents({ signal }), useChanges());
}

/** Another word after changes of sessions, at most once in a while. */
function useChanges(): string {
  const sessions = usePageState((state) => state.sessions);
  const [round, setRound] = useState(0);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changed does not matter, only that something did
  useEffect(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setRound((count) => count + 1);
    }, GATHER_MS);
  }, [sessions]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return String(round);
}
