import type { QueueView, SessionView } from "@caret/protocol";
import { useEffect, useState } from "react";
import { useApi } from "../data/page-hooks.ts";
import { showError } from "../parts/toast.tsx";

/** What waits for the session's turns; undefined while nothing does. Read again when the gateway says that it has changed. */
export function useQueue({ id, queued }: Pick<SessionView, "id" | "queued">): QueueView | undefined {
  const api = useApi();
  const [queue, setQueue] = useState<QueueView>();
  const { count = 0, at = 0 } = queued ?? {};
  // biome-ignore lint/correctness/useExhaustiveDependencies: `count` and `at` say that there is something new to read
  useEffect(() => {
    if (count === 0) return setQueue(undefined);
    const asking = new AbortController();
    api.listQueue(id, { signal: asking.signal }).then(setQueue, (reason: unknown) => {
      if (!asking.signal.aborted) showError(reason);
    });
    return () => asking.abort();
  }, [api, id, count, at]);
  return count === 0 ? undefined : queue;
}
