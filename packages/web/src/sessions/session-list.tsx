import type { SessionView } from "@caret/protocol";
import { useMemo, useState } from "react";
import { usePageData } from "../data/page-data-context.tsx";
import type { FoundSessions } from "../data/page-state.ts";
import { sortSessions } from "../data/session-list.ts";
import { usePageState } from "../data/use-page-state.ts";
import { useSessions } from "../data/use-sessions.ts";
import { Button } from "../parts/button.tsx";
import { Empty } from "../parts/empty.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { Spinner } from "../parts/spinner.tsx";
import { showError } from "../parts/toast.tsx";
import { useNow } from "../parts/use-now.ts";
import { groupByDay } from "./group-by-day.ts";
import { SessionRow } from "./session-row.tsx";

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
  // The days change at midnight; a list that is looked at is drawn anew more often than that.
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
