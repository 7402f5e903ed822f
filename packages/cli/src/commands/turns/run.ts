import { CaretError, type SandboxWord, sandboxWords, type TurnOutcome } from "@caret/protocol";
import { type SessionRecord, type TurnMode, type TurnRequest, turnModes } from "@caret/runtime";
import { type Command, Option } from "commander";
import { answerInTerminal } from "../../asks/terminal-asks.ts";
import { addConfigFlags, loadHostConfig } from "../../config/config-flags.ts";
import { absolutePath } from "../../config/config-paths.ts";
import type { Config } from "../../config/config-schema.ts";
import { type OpenedEngine, openEngine, openLog } from "../../engine/compose.ts";
import { unboundTools } from "../../engine/unbound-tools.ts";
import { type ExitCode, exitCodes, type Host } from "../../host/host.ts";
import { lookUpSession, newestSession } from "../../store/find-session.ts";
import { write } from "../../terminal/print.ts";
import { readPrompt } from "../../terminal/read-prompt.ts";
import { createStopper, type Stopper } from "../../terminal/stopper.ts";
import {
  createJsonWriter,
  createQuietWriter,
  createRenderedWriter,
  type TurnWriter,
} from "../../terminal/turn-writer.ts";
import { agentAsks, askingTurn, ownedTurn } from "./asking-turn.ts";
import { createUnaskedCalls } from "./unasked-calls.ts";

interface RunOptions {
  readonly session?: string;
  readonly continue?: boolean;
  readonly lane?: "auto" | "cli" | "acp" | "api" | "sim";
  readonly model?: string;
  readonly workspace?: string;
  readonly mode?: TurnMode;
  readonly sandbox?: SandboxWord;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly file?: string;
}

export function addRunCommand(program: Command, host: Host, done: (code: ExitCode) => void): void {
  const command = program
    .command("run")
    .description("one turn in the terminal")
    .argument("[prompt...]", "what to ask; `-`, or nothing, reads standard input; a pipe beside words is added below")
    .addOption(new Option("-s, --session <id>", "continue this session; the beginning of its id suffices"))
    .addOption(new Option("-c, --continue", "continue the newest session of the workspace").conflicts("session"))
    .addOption(new Option("--lane <name>", "how to reach an agent").choices(["auto", "cli", "acp", "api", "sim"]))
    .option("-m, --model <name>", "the model to use")
    .option("-w, --workspace <dir>", "the directory to work in (default: the current one)")
    .addOption(new Option("--mode <mode>", "work, or only read: plan and ask").choices(turnModes))
    .addOption(new Option("--sandbox <word>", "what its processes are walled in by").choices(sandboxWords))
    .option("-f, --force", "let the agent run every tool that is not denied")
    .option("--file <path>", "read the prompt from a file")
    .addOption(new Option("--json", "print one event a line; the last is the turn-end").conflicts("quiet"))
    .option("-q, --quiet", "print the answer only, when it is whole");
  addConfigFlags(command);
  command.action(async (words: readonly string[], options: RunOptions) => done(await run(host, words, options)));
}

async function run(host: Host, words: readonly string[], options: RunOptions): Promise<ExitCode> {
  const writer = chooseWriter(host, options);
  try {
    const { file } = options;
    const prompt = await readPrompt(host, { words, file });
    const { config } = loadHostConfig(host, { ...options });
    const target = await chooseTarget(host, config, options);
    const asking = isAtTerminal(host, options) ? askingOf(config, target, options) : undefined;
    const owned = asking ?? ownedTurn({ config, session: target.session, workspace: target.allowed });
    const request: TurnRequest = { client: "caret run", prompt, ...target.request, ...choices(options), ...owned };
    // Up to here an interrupt simply ends us: nothing has started.
    const stopper = createStopper(host);
    try {
      const opened = await openEngine(host, config, { workspaces: [target.allowed], keepWarm: false });
      // When Caret runs the tools, its rules apply to all of them.
      const owner = request.gatewayTools === undefined ? "agent" : "gateway";
      const notes = [...opened.notes, ...unboundTools(config, owner)];
      return exitCodes[await runTurn({ ...opened, notes }, request, { host, writer, stopper })];
    } finally {
      stopper.release();
    }
  } catch (reason) {
    const error = CaretError.from(reason);
    await writer.fail(error);
    throw error;
  }
}

function chooseWriter(host: Host, { json, quiet }: RunOptions): TurnWriter {
  if (json === true) return createJsonWriter(host);
  return quiet === true ? createQuietWriter(host) : createRenderedWriter(host);
}

/** Settings from the command line; what it omits comes from the session, then the configuration. */
function choices({ lane, model, mode, sandbox, force }: RunOptions): Omit<TurnRequest, "prompt"> {
  return {
    ...(lane === undefined ? {} : { lane }),
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...(force === undefined ? {} : { force }),
  };
}

interface Target {
  readonly request: Pick<TurnRequest, "sessionId" | "workspace">;
  /** The workspace the person chose, by working in it or by naming it or one of its sessions. */
  readonly allowed: string;
  /** The log's record of the session to continue. */
  readonly session?: SessionRecord;
}

async function chooseTarget(host: Host, config: Config, options: RunOptions): Promise<Target> {
  const named =
    options.workspace === undefined ? undefined : absolutePath(options.workspace, { ...host, base: host.cwd });
  const workspace = named ?? host.cwd;
  if (options.session === undefined && options.continue !== true) return { request: { workspace }, allowed: workspace };
  const store = openLog(config);
  try {
    if (options.session === undefined) return await newestTarget();
    const session = await lookUpSession(store, options.session);
    // A chat started with the agent itself is not in the log; the engine looks for it in the workspace.
    if (session === undefined) return { request: { sessionId: options.session, workspace }, allowed: workspace };
    const request = named === undefined ? { sessionId: session.id } : { sessionId: session.id, workspace: named };
    return { request, allowed: named ?? session.workspace, session };
  } finally {
    await store.close();
  }

  async function newestTarget(): Promise<Target> {
    const session = await newestSession(store, workspace);
    if (session !== undefined) return { request: { sessionId: session.id }, allowed: session.workspace, session };
    throw new CaretError("session-not-found", "This workspace has no session to continue", {
      fix: "Leave out --continue, or name the session's workspace.",
    });
  }
}

/** Whether a person reads the output and can type an answer. */
function isAtTerminal({ stdin, stdout }: Host, { json, quiet }: RunOptions): boolean {
  return stdin.isTTY === true && stdout.isTTY === true && json !== true && quiet !== true;
}

/** Undefined if no person has to be asked, or none can be. */
function askingOf(
  config: Config,
  { allowed, session, request }: Target,
  { force, mode }: RunOptions,
): Partial<TurnRequest> | undefined {
  const reads = (mode ?? config.mode) === "ask" || (mode ?? config.mode) === "plan";
  // A chat of Cursor's own CLI continues in its own workspace, with the agent's own tools.
  const isForeign = request.sessionId !== undefined && session === undefined;
  if (isForeign) return undefined;
  if (force === true || config.cli.force) return agentAsks("full");
  if (reads) return agentAsks("auto-edits");
  return askingTurn({ config, session, workspace: allowed });
}

interface RunParts {
  readonly host: Host;
  readonly writer: TurnWriter;
  readonly stopper: Stopper;
}

async function runTurn(
  { engine, notes, close }: OpenedEngine,
  request: TurnRequest,
  { host, writer, stopper }: RunParts,
): Promise<TurnOutcome["kind"]> {
  try {
    const turn = await engine.startTurn(request);
    await writer.begin(turn.sessionId, notes);
    const leave = request.attended === true ? answerInTerminal(host, turn, writer) : () => undefined;
    stopper.onStop(() => {
      turn.cancel("You stopped the turn");
      void writer.stopping();
    });
    const unasked = createUnaskedCalls();
    for await (const batch of turn.follow({ asSaid: true })) {
      const events = batch.map(({ event }) => event);
      for (const event of events) unasked.note(event);
      await writer.take(events);
    }
    leave();
    await writer.finish();
    await write(host.stderr, unasked.hint(host.command));
    return (await turn.outcome).kind;
  } finally {
    await close();
  }
}
