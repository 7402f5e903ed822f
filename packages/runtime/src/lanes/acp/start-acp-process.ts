import { type AgentCommandView, CaretError } from "@caret/protocol";
import type { ChildExit, ChildHandle, CoveredFile } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";
import type { ResolvedProfile } from "../../profiles/profile.ts";
import { classifyFailure } from "../classify-failure.ts";
import type { AgentHost } from "../cli/agent-host.ts";
import { childCommandOf } from "../cli/child-command-of.ts";
import { programWords } from "../cli/command-name.ts";
import { AcpProcess } from "./acp-process.ts";
import { RpcRefusal } from "./rpc-refusal.ts";

const PROTOCOL_VERSION = 1;
/** How long an agent may take to initialise. Half a second was seen on an otherwise idle machine. */
const HELLO_MS = 30_000;
const LOGIN_METHOD = "cursor_login";

export interface AcpCommand {
  readonly host: AgentHost;
  readonly workspace: string;
  readonly profile: ResolvedProfile;
  readonly launch: ResolvedLaunch;
  /** Offered tools are the only ones: their server is approved, and they run without asking. */
  readonly isOffered: boolean;
  readonly covered: readonly CoveredFile[];
  readonly onCommands: (workspace: string, commands: readonly AgentCommandView[]) => void;
  /** Aborted if the process is no longer wanted before it is usable. */
  readonly signal?: AbortSignal;
}

/** Starts `agent acp` and initialises it. Rejects with a `CaretError` if that fails, leaving nothing behind. */
export async function startAcpProcess(command: AcpCommand): Promise<AcpProcess> {
  const { host, workspace, profile, launch, covered } = command;
  const spawned = childCommandOf({ host, launch, args: argumentsOf(command), workspace, profile, stdin: "held" });
  const child = host.spawn({ ...spawned, covered }, { seated: true });
  const process = new AcpProcess({
    child,
    maxLineBytes: host.maxLineBytes,
    graceMs: host.clocks.graceMs,
    judgeExit: (exit, ended) => judgeExit(command, exit, ended),
    onCommands: (commands) => command.onCommands(workspace, commands),
  });
  const giveUp = (): void => void process.stop("the turn was stopped");
  command.signal?.addEventListener("abort", giveUp, { once: true });
  try {
    if (command.signal?.aborted === true) giveUp();
    await greet(process, command);
    return process;
  } catch (reason) {
    await process.stop("it could not be used");
    throw explainRefusal(reason, command);
  } finally {
    command.signal?.removeEventListener("abort", giveUp);
  }
}

/** Global options must precede the command; after it they are ignored. */
function argumentsOf({ host, isOffered }: AcpCommand): readonly string[] {
  const { trust, approveMcps, sandbox } = host.policy;
  return [
    ...host.programs.args,
    ...(trust ? ["--trust"] : []),
    ...(approveMcps || isOffered ? ["--approve-mcps"] : []),
    ...(isOffered ? ["--force"] : []),
    ...(sandbox === undefined ? [] : ["--sandbox", sandbox]),
    "acp",
  ];
}

async function greet(process: AcpProcess, { host, profile }: AcpCommand): Promise<void> {
  await process.requestWithin(
    "initialize",
    {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: false },
        terminal: false,
        // Announces subagents, each with updates of its own session; without it a prompt may end before its subagents do.
        _meta: { subagents: {} },
      },
      clientInfo: { name: "caret", title: "Caret", version: "1" },
    },
    HELLO_MS,
  );
  // With a key, authenticating is refused and may open a browser; without one, some versions create no session before it.
  if (usesKey(host.environment(profile))) return;
  await process.requestWithin("authenticate", { methodId: LOGIN_METHOD }, HELLO_MS).catch(loginFailed);
}

function usesKey(env: Readonly<Record<string, string>>): boolean {
  return Boolean(env["CURSOR_API_KEY"] || env["CURSOR_AUTH_TOKEN"]);
}

/** An agent that does not know this login reports it with its first session, if it matters. */
function loginFailed(reason: unknown): void {
  if (!(reason instanceof RpcRefusal) || /authenticat|logged in/i.test(reason.message)) throw reason;
}

/** Explains an error response of the agent by its words. */
export function explainRefusal(reason: unknown, command: Pick<AcpCommand, "host" | "launch">): CaretError {
  if (!(reason instanceof RpcRefusal)) return CaretError.from(reason);
  const [, lost] = /^Session "([^"]*)" not found/.exec(reason.message) ?? [];
  if (lost !== undefined) return new CaretError("session-not-found", `The agent has no session ${lost} any more`);
  return explainWords(reason.message, command);
}

/** Explains the words with which the agent gives up. */
export function explainWords(words: string, { host, launch }: Pick<AcpCommand, "host" | "launch">): CaretError {
  return classifyFailure({
    stderr: words,
    exitCode: 1,
    signal: null,
    stdoutEmpty: true,
    ...programWords(host.programs.command, launch.file),
    platform: host.platform,
  });
}

function judgeExit({ host, launch }: AcpCommand, exit: ChildExit, child: ChildHandle): CaretError {
  if (exit.kind !== "exited") return exit.error;
  return classifyFailure({
    stderr: child.stderrTail(),
    exitCode: exit.code,
    signal: exit.signal,
    stdoutEmpty: false,
    ...programWords(host.programs.command, launch.file),
    platform: host.platform,
  });
}
