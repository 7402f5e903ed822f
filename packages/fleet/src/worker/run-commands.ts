import { CaretError } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import type { HintListener } from "../wire/hint-listener.ts";
import type { Notifier } from "../wire/notifier.ts";
import { type Reply, replyOf } from "../wire/reply.ts";
import type { Sealer } from "../wire/sealer.ts";

/** What a gateway asks of one process. */
export interface Command {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** What a process does when it is asked to, by name. */
export type CommandHandlers = Readonly<Record<string, (...args: never[]) => Promise<unknown>>>;

export interface RunCommandsOptions {
  readonly database: Database;
  readonly sealer: Sealer;
  readonly listener: HintListener;
  readonly notifier: Notifier;
  /** This process: commands for it alone, and those that it has taken, are its own. */
  readonly owner: string;
  /** Commands for any worker of this machine. None are taken when this process leaves. */
  readonly shared: string;
  readonly isLeaving: () => boolean;
  readonly handlers: CommandHandlers;
  readonly onError: (error: CaretError) => void;
}

/** Runs the commands for this process, each once, and answers them. Gives what ends it. */
export function runCommands(options: RunCommandsOptions): () => Promise<void> {
  const { database, sealer, listener, notifier, owner, shared, isLeaving, onError } = options;
  let taking: Promise<void> | undefined;
  let isWanted = false;
  const running = new Set<Promise<void>>();

  const answer = async (id: string, body: Uint8Array): Promise<void> => {
    const reply = await replyOf(async () => await call(options.handlers, sealer.open(body) as Command));
    await database.query("update commands set state = 'done', body = null, answer = $2 where id = $1", [
      id,
      sealer.seal(reply satisfies Reply),
    ]);
    notifier.hint({ kind: "answer", id });
  };
  const take = async (): Promise<void> => {
    while (isWanted) {
      isWanted = false;
      const { rows } = await database.query(
        `with taken as (
           update commands set state = 'running', target = $1 where id in (
             select id from commands where target = any($2) and state = 'queued' order by number for update skip locked
           ) returning id, number, body
         ) select id, body from taken order by number`,
        [owner, isLeaving() ? [owner] : [owner, shared]],
        "take commands",
      );
      for (const { id, body } of rows) {
        const going = answer(String(id), body as Uint8Array)
          .catch((reason: unknown) => onError(CaretError.from(reason)))
          .finally(() => running.delete(going));
        running.add(going);
      }
    }
  };
  const look = (): void => {
    isWanted = true;
    taking ??= take()
      // The database may be away: the next poll tries again.
      .catch((reason: unknown) => onError(CaretError.from(reason)))
      .finally(() => {
        taking = undefined;
      });
  };
  const ends = [owner, shared].map((target) => listener.on("command", target, look));
  look();
  return async () => {
    for (const end of ends) end();
    await taking;
    await Promise.all(running);
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
