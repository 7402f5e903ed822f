import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { addConfigFlags } from "../../config/config-flags.ts";
import type { ExitCode, Host } from "../../host/host.ts";
import { withLog } from "../../store/log-work.ts";
import { listSessions } from "./sessions-ls.ts";
import { moveOne } from "./sessions-move.ts";
import { createNew } from "./sessions-new.ts";
import { pruneOldSessions, removeSessions } from "./sessions-rm.ts";
import { searchSessions } from "./sessions-search.ts";
import { showSession } from "./sessions-show.ts";
import { exportOne, importOne } from "./sessions-transfer.ts";

type Done = (code: ExitCode) => void;

export function addSessionsCommand(program: Command, host: Host, done: Done): void {
  const sessions = program
    .command("sessions")
    .description("Caret's own sessions: look at them, carry them, delete them");
  addLooking(sessions, host, done);
  addTransfer(sessions, host, done);
  addDeleting(sessions, host, done);
  const create = sessions
    .command("new")
    .description("create a session and print its id")
    .option("-w, --workspace <dir>", "its workspace (default: the current directory)")
    .option("-t, --title <text>", "its title")
    .option("-m, --model <name>", "its model")
    .addOption(
      new Option("--lane <name>", "how its turns reach an agent").choices(["auto", "cli", "acp", "api", "sim"]),
    );
  finish(create).action(async (options) => done(await createNew(host, options)));
}

function addLooking(sessions: Command, host: Host, done: Done): void {
  finish(sessions.command("ls").description("list sessions, the most recently used first"))
    .option("--search <text>", "only those with this in their title, workspace or id")
    .option("-w, --workspace <dir>", "only those of this workspace")
    .option("-n, --limit <count>", "how many at most", toCount, 20)
    .action(async (options) => done(await withLog(host, options, (work) => listSessions(work, options))));
  finish(sessions.command("search").description("find what was said, the newest first"))
    .argument("<words...>", "all of them in one place; quote words that follow each other")
    .option("-s, --session <id>", "only in this session")
    .option("-w, --workspace <dir>", "only in sessions of this workspace and below")
    .option("-n, --limit <count>", "how many places at most", toCount, 20)
    .action(async (words, options) =>
      done(await withLog(host, options, (work) => searchSessions(work, words, options))),
    );
  finish(sessions.command("show").description("show what was said and done"))
    .addArgument(idArgument())
    .action(async (id, options) => done(await withLog(host, options, (work) => showSession(work, id, options))));
}

function addTransfer(sessions: Command, host: Host, done: Done): void {
  finish(sessions.command("export").description("print a session, without secrets, to be imported elsewhere"))
    .addArgument(idArgument())
    .option("-o, --output <file>", "write it to a file")
    .action(async (id, options) => done(await withLog(host, options, (work) => exportOne(work, id, options))));
  finish(sessions.command("import").description("create a session from an exported one and print its id"))
    .argument("<file>", "the exported session; `-` is standard input")
    .action(async (file, options) => done(await withLog(host, options, (work) => importOne(work, file, options))));
  finish(sessions.command("move").description("let another machine of the fleet run a session's turns"))
    .addArgument(idArgument())
    .requiredOption("--to <machine>", "the name of the machine, which has the workspace at the same path")
    .action(async (id, options) => done(await withLog(host, options, (work) => moveOne(work, id, options))));
}

function addDeleting(sessions: Command, host: Host, done: Done): void {
  finish(sessions.command("rm").description("delete sessions and their events"))
    .argument("<id...>", "their ids, or the beginnings of them")
    .option("-y, --yes", "do not ask")
    .action(async (ids, options) => done(await withLog(host, options, (work) => removeSessions(work, ids, options))));
  finish(sessions.command("prune").description("delete old sessions, by default as the settings in `retention` say"))
    .option("--older-than <age>", "those not used for so long: 12h, 30d, 8w")
    .option("--keep <count>", "never the newest so many; alone: all but those", toCount)
    .option("--dry-run", "only say which")
    .action(async (options) => done(await withLog(host, options, (work) => pruneOldSessions(work, options))));
}

function finish(command: Command): Command {
  return addConfigFlags(command.option("--json", "print JSON"));
}

function idArgument(): Argument {
  return new Argument("<id>", "the session's id, or the beginning of it");
}

function toCount(text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("A whole number is expected.");
}
