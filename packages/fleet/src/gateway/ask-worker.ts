import { randomUUID } from "node:crypto";
import { CaretError } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import type { Members } from "../members/members.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import { untilFound } from "../seat/until-found.ts";
import type { Notifier } from "../wire/notifier.ts";
import { isSeenDead } from "../wire/process-name.ts";
import { type Reply, unwrapReply } from "../wire/reply.ts";
import type { Sealer } from "../wire/sealer.ts";
import { sharedMachine } from "../wire/shared-target.ts";

export interface AskWorkerOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly listener: HintListener;
  readonly notifier: Notifier;
  readonly members: Members;
  /** The gateway's name. */
  readonly owner: string;
}

/** How often to check whether a worker on this machine has died; this does not query the database. */
const LOOK_MS = 500;

/**
 * Has a worker run a command, by name: one particular worker, or the first of a machine's to take it. Rejects with the worker's error, or
 * with `interrupted` if the worker is lost.
 */
export type AskWorker = (target: string, name: string, args: readonly unknown[]) => Promise<unknown>;

export function createAskWorker(options: AskWorkerOptions): AskWorker {
  const { database, sealer, listener, notifier, members, owner } = options;
  const assertThere = async (target: string): Promise<void> => {
    const machine = sharedMachine(target);
    const isThere = machine === undefined ? members.isThere(target) : members.hasWorker(machine);
    if (isSeenDead(target, owner) || !(await isThere)) throw workerLost();
  };
  return async (target, name, args) => {
    const id = randomUUID();
    const body = sealer.seal({ name, args });
    await database.query(
      "insert into commands (id, target, body) values ($1, $2, $3)",
      [id, target, body],
      "send command",
    );
    notifier.hint({ kind: "command", id: target });
    let asked = target;
    const look = async (): Promise<Reply | undefined> => {
      const { rows } = await database.query("select target, answer from commands where id = $1", [id], "read answer");
      const answer = rows[0]?.["answer"];
      if (answer instanceof Uint8Array) return sealer.open(answer) as Reply;
      // Once a worker takes a command addressed to its machine, that worker is the target.
      asked = String(rows[0]?.["target"] ?? target);
      await assertThere(asked);
      return undefined;
    };
    const looking = setInterval(() => {
      if (isSeenDead(asked, owner)) listener.hear({ kind: "answer", id });
    }, LOOK_MS);
    try {
      const reply = await untilFound({ listener, kind: "answer", id, look });
      return reply === undefined ? undefined : unwrapReply(reply);
    } finally {
      clearInterval(looking);
      // Rows left behind are deleted later by a worker.
      await database.query("delete from commands where id = $1", [id], "drop command").catch(() => undefined);
    }
  };
}

function workerLost(): CaretError {
  return new CaretError("interrupted", "The worker that ran this was lost before it answered", {
    fix: "Look at the session: its turn is ended within seconds, and the next one runs on another worker.",
  });
}
