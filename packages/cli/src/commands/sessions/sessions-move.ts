import { CaretError } from "@caret/protocol";
import type { ExitCode } from "../../host/host.ts";
import { findSession } from "../../store/find-session.ts";
import type { LogWork } from "../../store/log-work.ts";
import { printJson, printLines } from "../../terminal/print.ts";
import { cleanLine } from "../../terminal/text-cleaner.ts";

export interface MoveOptions {
  readonly to: string;
  readonly json?: boolean;
}

export async function moveOne({ host, config, store }: LogWork, id: string, options: MoveOptions): Promise<ExitCode> {
  const { to: machine, json } = options;
  const { id: sessionId, workspace } = await findSession(store, id);
  if (config.store === undefined)
    throw new CaretError("unsupported", "Only sessions of a fleet are moved between machines", {
      fix: "Set `store`, or carry the session with `caret sessions export` and `caret sessions import`.",
    });
  const { moveSession, openDatabase, readDatabaseAddress } = await import("@caret/fleet");
  const database = openDatabase(readDatabaseAddress(config.store), { name: "caret command" });
  try {
    await moveSession(database, sessionId, machine);
  } finally {
    await database.close();
  }
  if (json === true) return await printJson(host, { sessionId, machine });
  return await printLines(host, [cleanLine(`Turns of ${sessionId} run on ${machine} from now on, in ${workspace}.`)]);
}
