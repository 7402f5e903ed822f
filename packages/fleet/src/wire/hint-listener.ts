import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import type { Database, Listener } from "../database/open-database.ts";
import { type Hint, type HintKind, readPayload } from "./hint.ts";
import { CHANNEL } from "./notifier.ts";

/** How often readers look by themselves, hints or not. */
const POLL_MS = 500;
const RECONNECT_MS = 250;

export interface HintListener {
  /** Calls back for each hint of this kind, about one thing or about any, and with every poll. Gives what ends it. */
  on(kind: HintKind, id: string | undefined, look: (id?: string) => void): () => void;
  /** Hints of this process need not go through the database. */
  readonly hear: (hint: Hint) => void;
  close(): Promise<void>;
}

export interface HintListenerOptions {
  readonly database: Pick<Database, "connect">;
  readonly onError: (error: CaretError) => void;
  readonly pollMs?: number;
}

/** One connection that listens, and one clock that makes every reader look again: a lost hint costs a poll, never an event. */
export function openHintListener({ database, onError, pollMs = POLL_MS }: HintListenerOptions): HintListener {
  const readers = new Map<string, Set<(id?: string) => void>>();
  const closing = new AbortController();
  let connection: Listener | undefined;

  const call = (key: string, id?: string): void => {
    for (const look of [...(readers.get(key) ?? [])]) look(id);
  };
  const lookAll = (): void => {
    for (const key of [...readers.keys()]) call(key);
  };
  const hear = ({ kind, id }: Hint): void => {
    call(`${kind} ${id}`, id);
    call(`${kind} `, id);
  };

  const listen = async (): Promise<void> => {
    const lost = Promise.withResolvers<void>();
    const onNotice = (_channel: string, payload: string): void => {
      for (const hint of readPayload(payload)) hear(hint);
    };
    connection = await database.connect(onNotice, () => lost.resolve());
    if (closing.signal.aborted) return; // closed before there was one to end
    await connection.query(`listen ${CHANNEL}`);
    // What was hinted at while nobody listened.
    lookAll();
    await lost.promise;
  };
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      await listen().catch((reason: unknown) => onError(CaretError.from(reason)));
      await connection?.end().catch(() => undefined); // it is gone already
      connection = undefined;
      await sleep(RECONNECT_MS, undefined, { signal: closing.signal }).catch(() => undefined); // closed meanwhile
    }
  };
  const running = run();
  const timer = setInterval(lookAll, pollMs);

  return {
    on(kind, id, look) {
      const key = `${kind} ${id ?? ""}`;
      const group = readers.get(key) ?? new Set();
      const own = (about?: string): void => look(about);
      readers.set(key, group.add(own));
      return () => {
        group.delete(own);
        if (group.size === 0 && readers.get(key) === group) readers.delete(key);
      };
    },
    hear,
    async close() {
      closing.abort();
      clearInterval(timer);
      await connection?.end().catch(() => undefined); // one that is being made ends with the loop
      await running;
    },
  };
}
