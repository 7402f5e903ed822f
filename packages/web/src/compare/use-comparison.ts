import type { ComparisonView } from "@caret/protocol";
import { useEffect, useState } from "react";
import { useApi } from "../data/page-hooks.ts";

export interface FollowedComparison {
  readonly view?: ComparisonView;
  readonly error?: unknown;
  /** Something newer is known of it: what a command answered. */
  readonly put: (view: ComparisonView) => void;
}

/** A comparison, kept up to date until it is picked or dropped. */
export function useComparison(id: string): FollowedComparison {
  const api = useApi();
  const [view, setView] = useState<ComparisonView>();
  const [error, setError] = useState<unknown>();
  useEffect(() => {
    const leaving = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const newest of api.followComparison(id, { signal: leaving.signal })) setView(newest);
    };
    follow().catch((reason: unknown) => {
      if (!leaving.signal.aborted) setError(reason);
    });
    return () => leaving.abort();
  }, [api, id]);
  return { ...(view === undefined ? {} : { view }), error, put: setView };
}
