import { CaretError } from "@caret/protocol";
import type { LaneRequest } from "../lane.ts";
import type { AgentProgram } from "./agent-program.ts";

/** The version with which these options were seen to work. Versions begin with their date and so sort as text. */
const SEEN_IN = "2026.10.01";

/** The agent's permissions, by configuration. */
export interface AgentPolicy {
  readonly trust: boolean;
  readonly approveMcps: boolean;
  readonly sandbox: "enabled" | "disabled" | undefined;
  /** The longest prompt passed as an argument. */
  readonly maxArgBytes: number;
  /** How long the end of a turn waits for background commands, if the CLI has an option for it. */
  readonly backgroundShellMs?: number | undefined;
}

interface AgentInvocation {
  readonly args: readonly string[];
  /** Content of standard input; undefined if the prompt is an argument and standard input is closed. */
  readonly stdin: string | undefined;
}

/**
 * The official CLI's arguments for a turn. A prompt comes after `--`, and no option's value can look like an option: ids and names are
 * checked, and a workspace is an absolute path.
 */
export function officialInvocation(
  request: LaneRequest,
  program: AgentProgram,
  policy: AgentPolicy,
  asArgument: boolean,
): AgentInvocation {
  const own = [...program.args, ...turnArguments(request, program, policy)];
  const headless = ["--approve-mcps", "--force"].filter((flag) => program.headless && !own.includes(flag));
  const args = [...own, ...headless];
  return asArgument ? { args: [...args, "--", request.prompt], stdin: undefined } : { args, stdin: request.prompt };
}

/** Whether a prompt can be an argument: short enough, and without NUL. */
export function fitsArgument(prompt: string, maxArgBytes: number): boolean {
  return !prompt.includes("\0") && Buffer.byteLength(prompt) <= maxArgBytes;
}

function turnArguments(request: LaneRequest, program: AgentProgram, policy: AgentPolicy): readonly string[] {
  const { upstream, workspace } = request;
  if (program.model !== undefined && !/^\w[\w.:/@[\]=,-]*$/.test(program.model))
    throw new CaretError("model-unknown", `${JSON.stringify(program.model)} cannot be the name of a model`);
  return [
    ...(program.model === undefined ? [] : ["--model", program.model]),
    "--workspace",
    workspace,
    ...(policy.trust ? ["--trust"] : []),
    ...(request.mode === "agent" ? [] : ["--mode", request.mode]),
    ...(request.force ? ["--force"] : []),
    ...(policy.approveMcps ? ["--approve-mcps"] : []),
    ...(policy.sandbox === undefined ? [] : ["--sandbox", policy.sandbox]),
    ...backgroundLimit(policy),
    ...chatArguments(upstream),
  ];
}

function chatArguments(upstream: LaneRequest["upstream"]): readonly string[] {
  if (upstream === undefined) return [];
  const { sessionId, isReserved } = upstream;
  if (!/^\w[\w.-]*$/.test(sessionId))
    throw new CaretError("session-not-found", "The upstream session's id is not one the CLI could have given");
  return [isReserved === true ? "--new-session-id" : "--resume", sessionId];
}

function backgroundLimit({ backgroundShellMs }: AgentPolicy): readonly string[] {
  if (backgroundShellMs === undefined) return [];
  return ["--background-shell-timeout", String(Math.max(1, Math.floor(backgroundShellMs / 1_000)))];
}

/** The one line that a contract program reads. Its workspace is the one the tools work in. */
export async function contractTurn(request: LaneRequest): Promise<string> {
  const { turnId, loadHistory, prompt, workspace, offered } = request;
  const system =
    offered === undefined || offered.system.trim() === "" ? [] : [{ role: "system", text: offered.system }];
  const said = [...system, ...(await loadHistory()), { role: "user", text: prompt }];
  const messages = said.map(({ role, text }) => ({ role, content: text }));
  const tools = offered?.tools.map(({ inputSchema, ...tool }) => ({ ...tool, schema: inputSchema })) ?? [];
  return `${JSON.stringify({ type: "turn", turnId, messages, tools, workspace: offered?.realWorkspace ?? workspace })}\n`;
}

/** Options that only newer CLI versions accept: an older one ends with "unknown option". */
interface CliFeatures {
  /** `--new-session-id <uuid>`: the turn creates its chat under that id, once. */
  readonly newSessionId: boolean;
  /** `--background-shell-timeout <s>`: how long the end of the turn waits for background commands. */
  readonly backgroundShellTimeout: boolean;
}

/** A version's features; none for an unknown version. */
export function cliFeatures(version: string | undefined): CliFeatures {
  const isNew = version !== undefined && version >= SEEN_IN;
  return { newSessionId: isNew, backgroundShellTimeout: isNew };
}
