import { useMemo, useState } from "react";
import { Link } from "wouter";
import { usePageData } from "../data/page-data-context.tsx";
import { usePageState, useSessions } from "../data/page-hooks.ts";
import type { FoundSessions } from "../data/page-state.ts";
import { sortSessions } from "../data/session-list.ts";
import { Button } from "../parts/button.tsx";
import { ErrorNote } from "../parts/error-note.tsx";
import { Empty, Spinner } from "../parts/placeholders.tsx";
import { showError } from "../parts/toast.tsx";
import { searchHref } from "../search/found-place.ts";
import { ListBar } from "./list-bar.tsx";
import { SessionGroup, SessionGroups } from "./session-groups.tsx";
import { useGrouping } from "./use-grouping.ts";

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
  const [by, setGrouping] = useGrouping();
  const [chosen, setChosen] = useState<ReadonlySet<string>>();
  if (!isListed) return <Loading />;
  if (sessions.length === 0)
    return <Empty title="No sessions yet">Start one, or let a client do it: every turn is kept here.</Empty>;
  const choice = chosen && {
    chosen,
    onChoose: (ids: readonly string[], isChosen: boolean) => setChosen(chooseAll(chosen, ids, isChosen)),
  };
  const pinned = sessions.filter((session) => session.pinned === true);
  return (
    <>
      <ListBar by={by} chosen={chosen} onChosen={setChosen} onGroup={setGrouping} />
      {pinned.length > 0 && (
        <SessionGroup choice={choice} group={{ key: "pinned", name: "Pinned", sessions: pinned }} />
      )}
      <SessionGroups by={by} choice={choice} sessions={sessions.filter((session) => session.pinned !== true)} />
      {next !== undefined && <MoreButton onMore={loadMore} />}
    </>
  );
}

function chooseAll(chosen: ReadonlySet<string>, ids: readonly string[], isChosen: boolean): ReadonlySet<string> {
  const others = [...chosen].filter((id) => !ids.includes(id));
  return new Set(isChosen ? [...others, ...ids] : others);
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
        {found.search !== "" && (
          <>
            Titles, workspaces and ids were searched.{" "}
            <Link className="text-accent underline underline-offset-2" href={searchHref(found.search)}>
              Search what was said
            </Link>
          </>
        )}
      </Empty>
    );
  return (
    <>
      <SessionGroups by="day" choice={undefined} sessions={sessions} />
      {next !== undefined && <MoreButton onMore={loadMoreFound} />}
    </>
  );
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
