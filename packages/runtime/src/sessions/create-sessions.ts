import type { Sessions } from "@caret/protocol";
import { type BackgroundWork, createBackgroundWork } from "../async/background-work.ts";
import type { EventStore } from "../log/event-store.ts";
import { interruptRunningTurns } from "../log/interrupted-end.ts";
import { changeCommands } from "./change-commands.ts";
import { pruneSessions } from "./remove-session.ts";
import { type SessionCommands, sessionCommands } from "./session-commands.ts";
import { sessionReaders } from "./session-readers.ts";
import { createSessionsContext, type SessionsContext, type SessionsOptions } from "./sessions-context.ts";
import { type BeginTurn, turnCommands } from "./turn-commands.ts";

/** How often to look for turns of processes that have died. */
const ABANDONED_MS = 5_000;
/** How often what was said since is made searchable, while no turn runs … */
const SEARCH_MS = 2_000;
/** … and while some do: their streams have the loop first. */
const BUSY_SEARCH_MS = 30_000;
/** How often to look for sessions that are too old, or too many. */
const PRUNE_MS = 3_600_000;

export interface RuntimeSessions extends Sessions, Pick<SessionCommands, "createWith" | "placeImported">, BeginTurn {
  /** No turn starts by itself from here on. */
  stopTaking(): void;
  /** Ends every follower and what is done in the background. To be called before the engine is closed. */
  close(): Promise<void>;
}

/** The native door's sessions: the runtime's half of the port, over the engine and its log. */
export function createSessions(options: SessionsOptions): RuntimeSessions {
  const closing = new AbortController();
  const context = createSessionsContext(options);
  const background = createBackgroundWork(options.onError ?? (() => undefined));
  lookAfterLog(context, background, closing.signal);
  return {
    ...sessionCommands(context),
    ...turnCommands(context),
    ...changeCommands(context),
    ...sessionReaders(context, closing.signal),
    stopTaking: context.starter.close,
    async close() {
      context.starter.close();
      closing.abort();
      await context.servers.close();
      await context.baselines.close();
      await background.close();
    },
  };
}

/** Background work: retention, sweeping, turns of dead processes. */
function lookAfterLog(
  { store, attachments, options, remove }: SessionsContext,
  background: BackgroundWork,
  closing: AbortSignal,
): void {
  const { retention = [], now, abandonedMs = ABANDONED_MS, pruneMs = PRUNE_MS } = options;
  // Sessions may have been deleted while no gateway ran.
  background.run((signal) => attachments.sweep(store, signal));
  background.run((signal) => store.removeLeftovers(signal));
  // A process that died cannot end its turns, and no client can stop them meanwhile.
  if (options.ticks === undefined) background.every(abandonedMs, () => interruptRunningTurns(store));
  fillSearch(store, options, { background, closing });
  if (retention.length === 0) return;
  background.every(pruneMs, (signal) =>
    pruneSessions({
      store,
      rules: retention,
      now,
      signal,
      remove: (id, updatedBefore) => remove(id, { updatedBefore }),
    }),
  );
}

/** Puts into the search what was said. Where other processes are heard of, only after one of them or this one has written. */
function fillSearch(
  store: EventStore,
  { ticks, engine, now }: SessionsOptions,
  { background, closing }: { readonly background: BackgroundWork; readonly closing: AbortSignal },
): void {
  let searchedAt = now();
  let mayBeBehind = true;
  const note = (): void => {
    mayBeBehind = true;
  };
  const ends = ticks === undefined ? [] : [ticks.add(note), store.watch(note)];
  closing.addEventListener("abort", () => {
    for (const end of ends) end();
  });
  background.every(SEARCH_MS, async (signal) => {
    if (!mayBeBehind || (engine.runningTurns().length > 0 && now() - searchedAt < BUSY_SEARCH_MS)) return;
    mayBeBehind = ticks === undefined;
    await store.catchUpSearch({ signal }).catch((reason: unknown) => {
      note();
      throw reason;
    });
    searchedAt = now();
  });
}
