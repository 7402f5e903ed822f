import { setTimeout as sleep } from "node:timers/promises";
import type { SessionUpdate, SessionView } from "@caret/protocol";
import { Doorbell } from "../async/doorbell.ts";
import type { EventStore, SessionRecord, SessionScope, SessionWatcher } from "../log/event-store.ts";
import type { ForeignTicks } from "./foreign-ticks.ts";
import { isInScope } from "./session-directories.ts";

const PAGE = 50;
/** Another process may have committed a little later than it noted. */
const MARGIN_MS = 2_000;

export interface FollowUpdatesOptions {
  readonly store: EventStore;
  readonly ticks: ForeignTicks;
  /** Called when a session's turn starts or stops waiting for a person. */
  readonly onWaiting: (watcher: SessionWatcher) => () => void;
  readonly view: (session: SessionRecord) => SessionView;
  /** What the reader may see. */
  readonly scope: SessionScope;
  readonly now: () => number;
  readonly updatesMs: number;
  readonly signal: AbortSignal;
}

/**
 * What changes from now on, gathered: a session is sent at most once in `updatesMs`, in its latest state. Listening begins with
 * the call, not with the first pull, so that a reader of the list misses nothing.
 */
export function followUpdates(options: FollowUpdatesOptions): AsyncIterable<readonly SessionUpdate[]> {
  return emitUpdates(options, gatherUpdates(options));
}

async function* emitUpdates(
  options: FollowUpdatesOptions,
  gathered: Gathered,
): AsyncGenerator<readonly SessionUpdate[], void, undefined> {
  const { store, signal, scope, updatesMs } = options;
  let lookedAt = options.now();
  try {
    /** Sessions the reader may know: deletions are sent only for these. */
    const known = new Set(await gathered.ids);
    for (;;) {
      await gathered.rung();
      if (signal.aborted) return;
      const { touched, byOthers } = gathered.take();
      const since = lookedAt - MARGIN_MS;
      if (byOthers) lookedAt = options.now();
      const others = byOthers ? await changedByOthers(store, { scope, since, known }) : [];
      const updates = await updatesOf(new Set([...touched, ...others]), options, known);
      if (updates.length > 0) yield updates;
      await pause(updatesMs, signal);
    }
  } finally {
    gathered.end();
  }
}

interface Gathered extends Pick<Doorbell, "rung"> {
  /** The sessions there were when it began. */
  readonly ids: Promise<readonly string[]>;
  /** What has been touched since the last time. */
  take(): { readonly touched: readonly string[]; readonly byOthers: boolean };
  end(): void;
}

function gatherUpdates({ store, onWaiting, ticks, signal, scope }: FollowUpdatesOptions): Gathered {
  const bell = new Doorbell();
  const touched = new Set<string>();
  let byOthers = false;
  const touch = (sessionId: string): void => {
    touched.add(sessionId);
    bell.ring();
  };
  const ends = [
    store.watch(touch),
    onWaiting(touch),
    ticks.add((sessionId) => {
      if (sessionId !== undefined) return touch(sessionId);
      byOthers = true;
      bell.ring();
    }),
  ];
  const end = (): void => {
    signal.removeEventListener("abort", end);
    for (const each of ends) each();
    bell.ring();
  };
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  const ids = store.sessionIds(scope);
  ids.catch(() => undefined); // rejects the next pull
  return {
    rung: bell.rung,
    ids,
    take() {
      const taken = { touched: [...touched], byOthers };
      touched.clear();
      byOthers = false;
      return taken;
    },
    end,
  };
}

async function updatesOf(
  ids: ReadonlySet<string>,
  { store, scope, view }: FollowUpdatesOptions,
  known: Set<string>,
): Promise<readonly SessionUpdate[]> {
  const updates: SessionUpdate[] = [];
  for (const sessionId of ids) {
    const session = await store.getSession(sessionId);
    if (session === undefined) {
      if (known.delete(sessionId)) updates.push({ kind: "deleted", sessionId });
    } else if (isInScope(session, scope)) {
      known.add(sessionId);
      updates.push({ kind: "changed", session: view(session) });
    }
  }
  return updates;
}

/** Those another process has written to since, and those that are gone. */
async function changedByOthers(
  store: EventStore,
  {
    scope,
    since,
    known,
  }: { readonly scope: SessionScope; readonly since: number; readonly known: ReadonlySet<string> },
): Promise<readonly string[]> {
  const left = new Set(await store.sessionIds(scope));
  const changed = [...known].filter((id) => !left.has(id));
  let after: string | undefined;
  do {
    const query = { limit: PAGE, ...scope, ...(after === undefined ? {} : { after }) };
    const { sessions, next } = await store.listSessions(query);
    const recent = sessions.filter(({ updatedAt }) => updatedAt >= since);
    changed.push(...recent.map(({ id }) => id));
    after = recent.length === PAGE ? next : undefined;
  } while (after !== undefined);
  return changed;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => undefined); // only ever because of the signal
}
