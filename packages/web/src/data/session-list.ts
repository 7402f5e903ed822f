import { type FollowedUpdate, isSideCall, type SessionPageView, type SessionView } from "@caret/protocol";
import type { PageState } from "./page-state.ts";

type ListState = Pick<PageState, "sessions" | "listed" | "isListed" | "next">;

/** What is known of these sessions is this now. */
export function putSessions(
  sessions: ReadonlyMap<string, SessionView>,
  views: readonly SessionView[],
): ReadonlyMap<string, SessionView> {
  const all = new Map(sessions);
  for (const view of views) all.set(view.id, view);
  return all;
}

/** Updates are always newer than what is known. Sessions that changed are among the first of the list, so they are listed. */
export function foldUpdates(state: ListState, updates: readonly FollowedUpdate[]): ListState {
  const sessions = new Map(state.sessions);
  const listed = new Set(state.listed);
  for (const item of updates) {
    if (item.kind === "changed") {
      sessions.set(item.session.id, item.session);
      listed.add(item.session.id);
    } else if (item.kind === "deleted") {
      sessions.delete(item.sessionId);
      listed.delete(item.sessionId);
    }
  }
  return { ...state, sessions, listed };
}

/**
 * The first page of the list, read after the stream of updates was opened. `changed` are the sessions that were updated
 * meanwhile: what it said stands. Sessions listed before that belong on this page but are not there are gone.
 */
export function takeFirstPage(state: ListState, page: SessionPageView, changed: ReadonlySet<string>): ListState {
  const views = page.sessions.filter(({ id }) => !changed.has(id));
  const oldest = page.sessions.at(-1)?.updatedAt ?? 0;
  const staysBelow = (id: string): boolean =>
    page.next !== undefined && (state.sessions.get(id)?.updatedAt ?? oldest) < oldest;
  const below = [...state.listed].filter(staysBelow);
  const kept = [...state.listed].filter((id) => changed.has(id));
  return {
    sessions: putSessions(state.sessions, views),
    listed: new Set([...views.map(({ id }) => id), ...kept, ...below]),
    isListed: true,
    next: below.length > 0 ? state.next : page.next,
  };
}

/** Pinned sessions are listed too, on whichever page they are. What is known of them already is newer. */
export function withPinned(state: ListState, pinned: readonly SessionView[]): ListState {
  const unknown = pinned.filter(({ id }) => !state.sessions.has(id));
  return {
    ...state,
    sessions: putSessions(state.sessions, unknown),
    listed: new Set([...state.listed, ...pinned.map(({ id }) => id)]),
  };
}

/** Those that a turn runs in: what waits for a person is shown from whichever page. What is known of them already is newer. */
export function withActive(state: ListState, active: readonly SessionView[]): ListState {
  const unknown = active.filter(({ id }) => !state.sessions.has(id));
  return unknown.length === 0 ? state : { ...state, sessions: putSessions(state.sessions, unknown) };
}

export function takeNextPage(state: ListState, page: SessionPageView): ListState {
  return {
    sessions: putSessions(state.sessions, page.sessions),
    listed: new Set([...state.listed, ...page.sessions.map(({ id }) => id)]),
    isListed: true,
    next: page.next,
  };
}

/**
 * The time by which a session is sorted. One that is at work keeps its position from when it began, or began to wait
 * at: many that speak at once would otherwise change positions all the time, while the user is about to press one.
 */
export function sortTime({ status, updatedAt }: SessionView): number {
  return "since" in status ? status.since : updatedAt;
}

/** The latest first. */
export function sortSessions(
  sessions: ReadonlyMap<string, SessionView>,
  ids: Iterable<string>,
  isWanted: (view: SessionView) => boolean,
): readonly SessionView[] {
  const views = Array.from(ids, (id) => sessions.get(id)).filter((view) => view !== undefined && isWanted(view));
  return (views as SessionView[]).sort((a, b) => sortTime(b) - sortTime(a) || (a.id < b.id ? -1 : 1));
}

/** Those that wait for a person, the longest wait first. */
export function waitingSessions(sessions: ReadonlyMap<string, SessionView>): readonly SessionView[] {
  const waiting = [...sessions.values()].filter(
    ({ status, asksSince }) => isForPerson(status) || asksSince !== undefined,
  );
  return waiting.sort((a, b) => sinceOf(a) - sinceOf(b));
}

/** Those whose last turn failed after this moment and that nobody has gone on with or put away, the latest first. */
export function failedSessions(sessions: ReadonlyMap<string, SessionView>, after: number): readonly SessionView[] {
  return sortSessions(sessions, sessions.keys(), (session) => {
    const { status, archived, imported } = session;
    if (archived || imported === true || isSideCall(session)) return false;
    return status.kind === "ended" && status.outcome === "failed" && status.at > after;
  });
}

/** A parked call waits for the client's program, and a turn for its machine, not for a person. */
export function isForPerson(status: SessionView["status"]): boolean {
  return status.kind === "waiting" && status.waitsFor !== "client" && status.waitsFor !== "machine";
}

function sinceOf({ status, asksSince = 0 }: SessionView): number {
  return status.kind === "waiting" ? status.since : asksSince;
}
