import type { SessionView } from "@caret/protocol";
import { useMemo, useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import { usePageState, useSessions } from "../data/page-hooks.ts";
import type { FoundSessions } from "../data/page-state.ts";
import { sortSessions, sortTime } from "../data/session-list.ts";
import { Button } from "../parts/button.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { Empty, Spinner } from "../parts/placeholders.tsx";
import { showError } from "../parts/toast.tsx";
import { useNow } from "../parts/use-now.ts";
import { SessionRow } from "./session-row.tsx";

const DAY_MS = 86_400_000;

/** The plain list, or what was searched for. */
export function SessionList() {
  const found = usePageState(({ found }) => found);
  return found === undefined ? <PlainList /> : <FoundList found={found} />;
}

function PlainList() {
  const { loadMore } = usePageData();
  const sessions = useSessions();
  const isListed = usePageState(({ isListed }) => isListed);
  const next = usePageState(({ next }) => next);
  if (!isListed) return <Loading />;
  if (sessions.length === 0)
    return <Empty title="No sessions yet">Start one, or let a client do it: every turn is kept here.</Empty>;
  return (
    <>
      <Days sessions={sessions} />
      {next !== undefined && <MoreButton onMore={loadMore} />}
    </>
  );
}

function FoundList({ found }: { readonly found: FoundSessions }) {
  const { search, loadMoreFound } = usePageData();
  const known = usePageState(({ sessions }) => sessions);
  const { ids, archived, isLoading, error, next } = found;
  const sessions = useMemo(
    () => sortSessions(known, ids, (session) => session.archived === archived),
    [known, ids, archived],
  );
  if (error !== undefined)
    return <ErrorNote error={error.toInfo()} onRetry={() => search(found.search, found.archived)} />;
  if (sessions.length === 0 && isLoading) return <Loading />;
  if (sessions.length === 0)
    return (
      <Empty title={found.search === "" ? "Nothing is archived" : "No sessions found"}>
        {found.search !== "" && "Titles, workspaces and ids are searched, not what was said."}
      </Empty>
    );
  return (
    <>
      <Days sessions={sessions} />
      {next !== undefined && <MoreButton onMore={loadMoreFound} />}
    </>
  );
}

function Days({ sessions }: { readonly sessions: readonly SessionView[] }) {
  // The days change at midnight; a list that is looked at is re-rendered more often than that.
  const today = new Date(useNow()).setHours(0, 0, 0, 0);
  const groups = useMemo(() => groupByDay(sessions, today), [sessions, today]);
  return groups.map(({ day, sessions }) => (
    <section aria-label={day} className="mb-6" key={day}>
      <h2 className="mb-1 font-medium text-[13px] text-soft">{day}</h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-raised">
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} />
        ))}
      </ul>
    </section>
  ));
}

function Loading() {
  return (
    <p className="flex items-center justify-center gap-2 py-8 text-soft" role="status">
      <Spinner /> Loading sessions…
    </p>
  );
}

function MoreButton({ onMore }: { readonly onMore: () => Promise<void> }) {
  const [isBusy, setBusy] = useState(false);
  const press = (): void => {
    setBusy(true);
    onMore()
      .catch(showError)
      .finally(() => setBusy(false));
  };
  return (
    <div className="flex justify-center">
      <Button disabled={isBusy} icon={isBusy && <Spinner />} onClick={press}>
        Show older sessions
      </Button>
    </div>
  );
}

interface DayGroup {
  readonly day: string;
  readonly sessions: readonly SessionView[];
}

/** Sessions that are sorted by time, under the names of their days as the reader would call them. */
export function groupByDay(sessions: readonly SessionView[], now: number): readonly DayGroup[] {
  const groups: { day: string; sessions: SessionView[] }[] = [];
  for (const session of sessions) {
    const day = dayName(sortTime(session), now);
    const last = groups.at(-1);
    if (last?.day === day) last.sessions.push(session);
    else groups.push({ day, sessions: [session] });
  }
  return groups;
}

function dayName(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / DAY_MS);
  if (days <= 0) return "Today";
  if (days === 1) return "Yesterday";
  const isThisYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  const words = days < 7 ? { weekday: "long" as const } : { day: "numeric" as const, month: "long" as const };
  return new Intl.DateTimeFormat(undefined, { ...words, ...(!isThisYear && { year: "numeric" }) }).format(at);
}

function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0);
}
