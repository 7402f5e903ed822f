import type { SessionView } from "@caret/protocol";
import { GitFork } from "lucide-react";
import { useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import { useApi, usePageState } from "../data/page-hooks.ts";

const MAX_SHOWN = 5;
const none: readonly SessionView[] = [];

/** Where the session came from, and what came of it. */
export function ForkLinks({ session }: { readonly session: SessionView }) {
  const origin = useOrigin(session);
  const forks = useForks(session.id);
  if (session.forkedFrom === undefined && forks.length === 0) return null;
  return (
    <nav
      aria-label="Forks"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line border-b px-3 text-[12px] md:py-1 text-soft md:px-4"
    >
      <GitFork aria-hidden="true" className="shrink-0 text-faint" size={14} />
      {session.forkedFrom !== undefined && (
        <span className="min-w-0 truncate">
          Forked from {origin === undefined ? "a session that is gone" : <SessionLink session={origin} />}
        </span>
      )}
      {forks.length > 0 && <span>{forks.length === 1 ? "Fork:" : "Forks:"}</span>}
      {forks.slice(0, MAX_SHOWN).map((fork) => (
        <SessionLink key={fork.id} session={fork} />
      ))}
      {forks.length > MAX_SHOWN && <span>and {forks.length - MAX_SHOWN} more</span>}
    </nav>
  );
}

function SessionLink({ session: { id, title } }: { readonly session: SessionView }) {
  return (
    <Link
      className="inline-block max-w-72 truncate align-middle text-accent underline underline-offset-2 max-md:py-3"
      href={`/s/${id}`}
    >
      {title || "Untitled"}
    </Link>
  );
}

function useOrigin({ forkedFrom }: SessionView): SessionView | undefined {
  const api = useApi();
  const id = forkedFrom?.sessionId;
  const listed = usePageState(({ sessions }) => (id === undefined ? undefined : sessions.get(id)));
  const [found, setFound] = useState<SessionView>();
  useEffect(() => {
    if (id === undefined || listed !== undefined) return;
    const asking = new AbortController();
    // One that was deleted since is said to be gone.
    api.listSessions({ search: id, limit: 1 }, { signal: asking.signal }).then(
      ({ sessions }) => setFound(sessions.find((session) => session.id === id)),
      () => undefined,
    );
    return () => asking.abort();
  }, [api, id, listed]);
  return listed ?? found;
}

/** Those that the gateway knows, and those that were made since. */
function useForks(id: string): readonly SessionView[] {
  const api = useApi();
  const sessions = usePageState((state) => state.sessions);
  const [found, setFound] = useState(none);
  useEffect(() => {
    const asking = new AbortController();
    // Without them the session is as readable.
    api.listSessions({ forkedFrom: id, limit: 50 }, { signal: asking.signal }).then(
      (page) => setFound(page.sessions),
      () => undefined,
    );
    return () => asking.abort();
  }, [api, id]);
  return useMemo(() => {
    const fresh = [...sessions.values()].filter(({ forkedFrom }) => forkedFrom?.sessionId === id);
    const known = new Map([...found, ...fresh].map((session) => [session.id, session]));
    return known.size === 0 ? none : [...known.values()];
  }, [sessions, found, id]);
}
