import { CaretError } from "@caret/protocol";
import type { Queries } from "../database/open-database.ts";
import { type Hint, toPayloads } from "./hint.ts";

/** The fleet's only channel: every gateway and worker listens to it. */
export const CHANNEL = "caret_fleet";

/** A transaction that notifies takes a database-wide lock at its commit, so at most one is made per this interval. */
const GATHER_MS = 10;

export interface Notifier {
  /** Notifies all processes of the fleet, including this one: at once after a pause, else together with other hints of these 10 ms. */
  hint(hint: Hint): void;
  /** Sends gathered hints. */
  close(): Promise<void>;
}

export interface NotifierOptions {
  readonly database: Queries;
  /** Called at once with each hint, for readers in this process. */
  readonly onHint: (hint: Hint) => void;
  readonly onError: (error: CaretError) => void;
}

/** Sends hints by `NOTIFY`, outside the transactions they are about. */
export function createNotifier({ database, onHint, onError }: NotifierOptions): Notifier {
  let gathered: Hint[] = [];
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> = Promise.resolve();
  let sentAt = 0;

  const send = async (): Promise<void> => {
    const payloads = toPayloads(gathered);
    gathered = [];
    try {
      for (const payload of payloads) await database.query("select pg_notify($1, $2)", [CHANNEL, payload], "notify");
    } catch (reason) {
      // Readers find it by polling.
      onError(CaretError.from(reason));
    }
  };
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    sentAt = performance.now();
    sending = send();
  };

  return {
    hint(hint) {
      onHint(hint);
      gathered.push(hint);
      const pauseMs = sentAt + GATHER_MS - performance.now();
      if (timer === undefined && pauseMs <= 0) flush();
      else timer ??= setTimeout(flush, pauseMs);
    },
    async close() {
      flush();
      await sending;
    },
  };
}
