import { CaretError } from "@caret/protocol";
import type { Database, Row } from "../database/open-database.ts";
import { createPatience } from "../log/patience.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import type { Notifier } from "../wire/notifier.ts";
import { type Reply, replyOf } from "../wire/reply.ts";
import type { Sealer } from "../wire/sealer.ts";

/** What a gateway asks of one process. */
export interface Command {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A process's handlers, by command name. */
export type CommandHandlers = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

export interface RunCommandsOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly listener: HintListener;
  readonly notifier: Notifier;
  /** This process's name: it runs commands for it alone and those it has taken. */
  readonly owner: string;
  /** Target of commands for any worker of this machine; a process that is leaving takes none. */
  readonly shared: string;
  readonly isLeaving: () => boolean;
  readonly handlers: CommandHandlers;
  readonly onError: (error: CaretError) => void;
}

/** On close, how long to wait for a database that is away; answers not stored by then are lost. */
const CLOSE_MS = 2_000;

const takeSql = (which: string): string => `
  with taken as (
    update commands set state = 'running', target = $1 where id in (
      select id from commands where ${which} order by number for update skip locked
    ) returning id, number, body
  ) select id, body from taken order by number`;
const waitingSql = "target = any($2) and state = 'queued'";
/** Includes commands taken by a statement whose result was lost with the connection: only this process can run them. */
const unheardSql = `(${waitingSql}) or (target = $1 and state = 'running' and id <> all($3))`;

/** Runs the commands for this process, each once, and answers them. Returns `stop()`. */
export function runCommands(options: RunCommandsOptions): () => Promise<void> {
  const { database, sealer, listener, notifier, owner, shared, isLeaving, onError } = options;
  let taking: Promise<void> | undefined;
  let isWanted = false;
  /** The last statement may have taken commands we did not hear of. */
  let isUnsure = false;
  const running = new Map<string, Promise<void>>();
  const patience = createPatience();

  const answer = async (id: string, body: Uint8Array): Promise<void> => {
    const reply = await replyOf(async () => await call(options.handlers, sealer.open(body) as Command));
    const sealed = sealer.seal(reply satisfies Reply);
    const sql = "update commands set state = 'done', body = null, answer = $2 where id = $1";
    // Keep trying: a gateway waits for the answer as long as this process lives.
    await patience.retry(() => database.query(sql, [id, sealed]), { keepTrying: true });
    notifier.hint({ kind: "answer", id });
  };
  const takeRows = async (): Promise<readonly Row[]> => {
    const targets = isLeaving() ? [owner] : [owner, shared];
    const taking = isUnsure
      ? database.query(takeSql(unheardSql), [owner, targets, [...running.keys()]])
      : database.query(takeSql(waitingSql), [owner, targets], "take commands");
    isUnsure = true;
    const { rows } = await taking;
    isUnsure = false;
    return rows;
  };
  const take = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      for (const { id, body } of await takeRows()) {
        // A command that could not be answered stays listed, so it is not run again.
        const going = answer(String(id), body as Uint8Array).then(
          () => void running.delete(String(id)),
          (reason: unknown) => onError(CaretError.from(reason)),
        );
        running.set(String(id), going);
      }
    }
  };
  const look = (): void => {
    isWanted = true;
    taking ??= take()
      .catch((reason: unknown) => {
        // The database may be away: the next poll tries again.
        listener.again("command", owner);
        onError(CaretError.from(reason));
      })
      .finally(() => {
        taking = undefined;
      });
  };
  const ends = [owner, shared].map((target) => listener.on("command", target, look));
  look();
  return async () => {
    for (const end of ends) end();
    await taking;
    patience.limit(CLOSE_MS);
    await Promise.all(running.values());
  };
}

async function call(handlers: CommandHandlers, { name, args }: Command): Promise<unknown> {
  const handler = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler === undefined)
    throw new CaretError("unsupported", `This worker does not know the command ${JSON.stringify(name)}`, {
      fix: "Update Caret on the worker's machine: its version is older than the gateway's.",
    });
  return await handler(...(args as never[]));
}
