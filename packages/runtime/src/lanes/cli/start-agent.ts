import type { LaneName } from "@caret/protocol";
import { chatExists } from "../../chats/chat-exists.ts";
import type { ChildCommand, ChildHandle, CoveredFile } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";
import type { WarmKey } from "../../process/warm-pool.ts";
import type { ResolvedProfile } from "../../profiles/profile.ts";
import type { Attempt } from "../../profiles/rotation.ts";
import type { OpenSandbox } from "../../sandbox/sandboxes.ts";
import type { LaneRequest } from "../lane.ts";
import { type AgentPolicy, cliFeatures, contractTurn, officialInvocation } from "./agent-arguments.ts";
import type { AgentHost } from "./agent-host.ts";
import { agentOrigin } from "./agent-origin.ts";
import type { AgentProgram } from "./agent-program.ts";
import { childCommandOf } from "./child-command-of.ts";
import type { LaunchVersion } from "./version-probe.ts";

/** After this silence we assume that a program waits for the end of its input. */
const HOLD_MS = 1_500;

/** A client waits for a turn's agent: use a process started ahead, if there is one. */
const SEATED = { seated: true };

export interface TurnAttempt {
  readonly host: AgentHost;
  readonly lane: LaneName;
  readonly request: LaneRequest;
  readonly attempt: Attempt;
  /** The prompt was too long for the command line in an earlier attempt. */
  readonly viaStdin: boolean;
  readonly signal: AbortSignal;
}

/** A program with offered tools reads their results line by line: its input is ended only if it seems to be stuck. */
const HOLD_FOR_RESULTS_MS = 15_000;
const SHARE_OF_IDLE = 0.9;
const UNKNOWN_VERSION = "unknown";

/** What an attempt found out before starting anything. */
export interface Prepared {
  readonly program: AgentProgram;
  readonly profile: ResolvedProfile;
  readonly launch: ResolvedLaunch;
  readonly version: LaunchVersion;
}

interface StartOptions {
  /** Whether the prompt is an argument. */
  readonly asArgument: boolean;
  readonly covered: readonly CoveredFile[];
  /** Overrides of its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The sandbox it must run in. */
  readonly sandbox: OpenSandbox | undefined;
}

export interface Started {
  readonly child: ChildHandle;
  /** Call it when the turn has ended: keeps agents warm for possible next turns of its upstream session. */
  readonly refill: (sessionId: string) => void;
}

/** Starts an attempt's agent and gives it its prompt, unless the turn was stopped in the meantime. Uses a warm agent if one waits. */
export async function startAgent(asked: TurnAttempt, prepared: Prepared, how: StartOptions): Promise<Started> {
  asked.signal.throwIfAborted();
  if (prepared.program.style === "contract") return await startContract(asked, prepared, how);
  const turn = { ...asked, request: withUsableReservation(asked, prepared) };
  // An agent with offered tools or a sandbox is tied to its own turn, and arguments cannot be added later: such agents are never warm.
  const isTied = turn.request.offered !== undefined || how.sandbox !== undefined;
  if (how.asArgument || isTied) return startCold(turn, prepared, how);
  return startWarm(turn, prepared, how);
}

/**
 * A reserved id is good for one new chat, once: an earlier attempt may already have created it. A CLI without the option chooses its own
 * id.
 */
function withUsableReservation({ host, request }: TurnAttempt, { version }: Prepared): LaneRequest {
  const { upstream, workspace } = request;
  if (upstream?.isReserved !== true) return request;
  const { sessionId: id, configDir = host.chatConfigDir() } = upstream;
  if (chatExists({ configDir, workspace, id })) return { ...request, upstream: { ...upstream, isReserved: false } };
  return cliFeatures(version.known()).newSessionId ? request : { ...request, upstream: undefined };
}

/**
 * Print mode waits indefinitely for background commands, and such a turn would be given up as stalled. If the CLI has an option for it, it
 * ends them a little earlier, so the turn still ends with its answer.
 */
function turnPolicy(host: AgentHost, version: LaunchVersion): AgentPolicy {
  if (!cliFeatures(version.known()).backgroundShellTimeout) return host.policy;
  return { ...host.policy, backgroundShellMs: host.clocks.idleMs * SHARE_OF_IDLE };
}

async function startContract(
  { host, request, signal }: TurnAttempt,
  { program, launch, profile }: Prepared,
  how: StartOptions,
): Promise<Started> {
  const { workspace } = request;
  const line = await contractTurn(request);
  signal.throwIfAborted();
  const command = childCommandOf({ host, launch, args: program.args, workspace, profile, stdin: "held" });
  const child = start(host, command, how);
  holdStdin(child, line, request.offered && HOLD_FOR_RESULTS_MS);
  return { child, refill: () => undefined };
}

function startCold({ host, request }: TurnAttempt, prepared: Prepared, how: StartOptions): Started {
  const { program, launch, profile, version } = prepared;
  const { workspace, offered } = request;
  const forTurn = policyIn(request, turnPolicy(host, version));
  // In a workspace written by us the only server to approve is ours, and its tools run only if forced.
  const asked = offered === undefined ? request : { ...request, force: true };
  const policy = offered === undefined ? forTurn : { ...forTurn, approveMcps: true };
  const { args, stdin } = officialInvocation(asked, program, policy, how.asArgument);
  const input = stdin === undefined ? ("closed" as const) : { content: stdin };
  const command = childCommandOf({ host, launch, args, workspace, profile, stdin: input, set: how.env });
  return { child: start(host, { ...command, covered: how.covered }, how), refill: () => undefined };
}

function start(host: AgentHost, command: ChildCommand, { sandbox }: StartOptions): ChildHandle {
  // A seat has a container of its own, without these walls.
  return sandbox === undefined ? host.spawn(command, SEATED) : host.spawn(sandbox.enclose(command));
}

/**
 * Cursor's own sandbox creates namespaces, which ours forbids. Servers of Caret's own `mcp.json` need no approval: the agent sees no other
 * such file.
 */
function policyIn({ sandbox }: LaneRequest, policy: AgentPolicy): AgentPolicy {
  if (sandbox === undefined) return policy;
  const isOurs = sandbox.additions.cursorFiles?.["mcp.json"] !== undefined;
  return { ...policy, sandbox: "disabled", approveMcps: policy.approveMcps || isOurs };
}

function startWarm({ host, lane, request, attempt }: TurnAttempt, prepared: Prepared, { env }: StartOptions): Started {
  const { program, launch, profile, version } = prepared;
  const { workspace } = request;
  const { command } = program;
  const origin = agentOrigin({ host, profile, launch, profileName: attempt.profile, command, workspace });
  const profileOf = (like: LaneRequest): WarmKey => {
    const { args } = officialInvocation(like, program, turnPolicy(host, version), false);
    return {
      origin,
      command: childCommandOf({ host, launch, args, workspace, profile, stdin: "held", set: env }),
      model: attempt.model,
      resumedSession: like.upstream && `${like.upstream.sessionId} after ${like.previousTurnId}`,
      cliVersion: version.known() ?? UNKNOWN_VERSION,
    };
  };
  const wanted = profileOf(request);
  const child = host.warm?.take(wanted) ?? host.spawn(wanted.command, SEATED);
  void child.writeStdin(request.prompt);
  void child.endStdin();
  const refill = (sessionId: string): void => {
    // No turn follows in a side call's directory, so a warm agent there would only displace a useful one.
    if (request.isAside === true) return;
    // One like this for the next session, and one for this session's next turn. The version may have become known in the meantime.
    const isSameVersion = wanted.cliVersion === (version.known() ?? UNKNOWN_VERSION);
    if (request.upstream === undefined) host.warm?.refill(isSameVersion ? wanted : profileOf(request));
    host.warm?.refill(profileOf({ ...request, upstream: { lane, sessionId }, previousTurnId: request.turnId }));
  };
  return { child, refill };
}

/**
 * Sends a contract program its turn and keeps its standard input open, because a cancellation may have to follow. A silent program may be
 * reading to the end of its input first: then the input is ended.
 */
export function holdStdin(child: ChildHandle, turn: string, holdMs = HOLD_MS): void {
  void child.writeStdin(turn);
  const timer = setTimeout(() => void child.endStdin(), holdMs);
  timer.unref();
  void child.firstOutput.then(() => clearTimeout(timer));
}
