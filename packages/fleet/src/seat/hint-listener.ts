import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { Database, Listener } from "../database/open-database.ts";
import { type Hint, readPayload } from "../wire/hint.ts";
import { CHANNEL } from "../wire/notifier.ts";
import { changedSql, type WatchKind } from "./watch-sql.ts";
import { Watches } from "./watches.ts";

/** How often one statement polls everything that readers watch: the delay that a lost hint costs. */
const POLL_MS = 2_000;
/** A connection that has not answered for this long counts as lost, since hints over it would be missed. */
const SILENT_MS = 10_000;
const RECONNECT_MS = 250;

export interface HintListener {
  /** Calls back for each hint of this kind, about one id or any, and without an id when a poll finds a change. Returns unsubscribe. */
  on(kind: WatchKind, id: string | undefined, look: (id?: string) => void): () => void;
  /** For a reader whose look failed: the next poll calls back whatever it finds. */
  again(kind: WatchKind, id: string | undefined): void;
  /** Delivers this process's own hints, which need not go through the database. */
  readonly hear: (hint: Hint) => void;
  close(): Promise<void>;
}

export interface HintListenerOptions {
  readonly database: Pick<Database, "connect" | "schema">;
  readonly onError: (error: CaretError) => void;
  readonly pollMs?: number;
  readonly silentMs?: number;
}

interface Connection {
  readonly listener: Listener;
  readonly lose: () => void;
}

/**
 * Keeps one listening connection, over which a timer polls for changes in everything watched here. A lost hint costs a poll interval, never
 * an event, and what does not change costs nothing.
 */
export function openHintListener(options: HintListenerOptions): HintListener {
  const { database, onError, pollMs = POLL_MS } = options;
  const watches = new Watches();
  const closing = new AbortController();
  let connection: Connection | undefined;

  const hear = ({ kind, id }: Hint): void => watches.hint(kind, id);
  const listen = async (): Promise<void> => {
    const lost = Promise.withResolvers<void>();
    const onNotice = (_channel: string, payload: string): void => {
      for (const hint of readPayload(payload)) hear(hint);
    };
    const listener = await database.connect(onNotice, () => lost.resolve());
    connection = { listener, lose: lost.resolve };
    if (closing.signal.aborted) return; // closed while connecting
    await listener.query(`listen ${CHANNEL}`);
    // Catches up on hints missed while not connected.
    watches.callAll();
    await lost.promise;
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await listen().catch((reason: unknown) => onError(CaretError.from(reason)));
      const ended = connection;
      connection = undefined;
      await ended?.listener.end().catch(() => undefined); // already gone
      await sleep(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => undefined); // closed meanwhile
    }
  };
  const running = run();
  const polling = createPoll(options, watches, closing.signal);
  const timer = setInterval(() => polling.poll(connection), pollMs);

  return {
    on: (kind, id = "", look) => watches.add(kind, id, look),
    again: polling.again,
    hear,
    async close() {
      closing.abort();
      clearInterval(timer);
      await connection?.listener.end().catch(() => undefined); // `run` ends one that is still connecting
      await running;
    },
  };
}

function createPoll(
  { database: { schema }, onError, silentMs = SILENT_MS }: HintListenerOptions,
  watches: Watches,
  closing: AbortSignal,
) {
  let unsure: (() => void)[] = [];
  let askedAt: number | undefined;

  const ask = async ({ query }: Listener): Promise<void> => {
    const { watched, hinted } = watches.beginPoll();
    if (watched.length === 0) return;
    const { sql, values, name } = changedSql(schema, watched);
    for (const { kind, id, mark } of (await query(sql, values, name)).rows)
      watches.found({ kind: kind as WatchKind, id: String(id), mark: mark === null ? null : String(mark) }, hinted);
  };
  return {
    again: (kind: WatchKind, id = ""): void => void unsure.push(() => watches.call(kind, id)),
    poll(connection: Connection | undefined): void {
      const calls = unsure;
      unsure = [];
      for (const call of calls) call();
      // Without a connection no hints arrive, so readers look on their own.
      if (connection === undefined) return watches.callAll();
      if (askedAt !== undefined) {
        if (performance.now() - askedAt > silentMs) connection.lose();
        return;
      }
      askedAt = performance.now();
      ask(connection.listener)
        .catch((reason: unknown) => {
          if (closing.aborted) return; // it ended with the connection
          watches.callAll();
          onError(CaretError.from(reason));
        })
        .finally(() => {
          askedAt = undefined;
        });
    },
  };
}
