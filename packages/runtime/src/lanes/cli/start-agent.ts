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

/** How long a program may be silent before we suppose that it waits for the end of its input. */
const HOLD_MS = 1_500;

/** A client waits for the agent of a turn: where a process was started ahead, it becomes this agent. */
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

/** A program that is offered tools reads their results line by line: its input is ended only when it seems to be stuck. */
const HOLD_FOR_RESULTS_MS = 15_000;
const SHARE_OF_IDLE = 0.9;
const UNKNOWN_VERSION = "unknown";

/** What an attempt found out before anything was started. */
export interface Prepared {
  readonly program: AgentProgram;
  readonly profile: ResolvedProfile;
  readonly launch: ResolvedLaunch;
  readonly version: LaunchVersion;
}

interface StartOptions {
  /** Is the prompt an argument? */
  readonly asArgument: boolean;
  readonly covered: readonly CoveredFile[];
  /** What its environment has in place of the usual. */
  readonly env: Readonly<Record<string, string>>;
  /** What it must run in. */
  readonly sandbox: OpenSandbox | undefined;
}

export interface Started {
  readonly child: ChildHandle;
  /** Call it when the turn has ended: keeps agents warm for the turns that may follow in its upstream session. */
  readonly refill: (sessionId: string) => void;
}

/** Start the agent of an attempt and give it its prompt, unless its turn was stopped meanwhile. A booted one is taken if one waits. */
export async function startAgent(asked: TurnAttempt, prepared: Prepared, how: StartOptions): Promise<Started> {
  asked.signal.throwIfAborted();
  if (prepared.program.style === "contract") return await startContract(asked, prepared, how);
  const turn = { ...asked, request: withUsableReservation(asked, prepared) };
  // An agent that is offered tools or walled in is tied to its own turn, and an argument cannot be given later: none can wait.
  const isTied = turn.request.offered !== undefined || how.sandbox !== undefined;
  if (how.asArgument || isTied) return startCold(turn, prepared, how);
  return startWarm(turn, prepared, how);
}

/**
 * An id that was chosen ahead of time is good for one new chat, once: an earlier attempt may have made it already. A CLI
 * that does not know the option chooses its own.
 */
function withUsableReservation({ host, request }: TurnAttempt, { version }: Prepared): LaneRequest {
  const { upstream, workspace } = request;
  if (upstream?.isReserved !== true) return request;
  const { sessionId: id, configDir = host.chatConfigDir() } = upstream;
  if (chatExists({ configDir, workspace, id })) return { ...request, upstream: { ...upstream, isReserved: false } };
  return cliFeatures(version.known()).newSessionId ? request : { ...request, upstream: undefined };
}

/**
 * Print mode waits without end for commands in the background, and such a turn would be given up as stalled. The CLI is
 * asked to end them a little earlier, where it has an option for that, so that the turn still ends with its answer.
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
  // In a workspace that we wrote ourselves the only server to approve is ours, and its tools run only when forced.
  const asked = offered === undefined ? request : { ...request, force: true };
  const policy = offered === undefined ? forTurn : { ...forTurn, approveMcps: true };
  const { args, stdin } = officialInvocation(asked, program, policy, how.asArgument);
  const input = stdin === undefined ? ("closed" as const) : { content: stdin };
  const command = childCommandOf({ host, launch, args, workspace, profile, stdin: input, set: how.env });
  return { child: start(host, { ...command, covered: how.covered }, how), refill: () => undefined };
}

function start(host: AgentHost, command: ChildCommand, { sandbox }: StartOptions): ChildHandle {
  // A seat has a container of its own, and not these walls.
  return sandbox === undefined ? host.spawn(command, SEATED) : host.spawn(sandbox.enclose(command));
}

/**
 * Cursor's own sandbox makes namespaces, which ours forbids. The servers of an `mcp.json` that is Caret's need no approval:
 * the agent sees that file and no other.
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
    // No turn comes to the directory of a side call, and what waits there would take the place of an agent that is wanted.
    if (request.isAside === true) return;
    // One like this for the next session, and one for this session's next turn. The version may have become known meanwhile.
    const isSameVersion = wanted.cliVersion === (version.known() ?? UNKNOWN_VERSION);
    if (request.upstream === undefined) host.warm?.refill(isSameVersion ? wanted : profileOf(request));
    host.warm?.refill(profileOf({ ...request, upstream: { lane, sessionId }, previousTurnId: request.turnId }));
  };
  return { child, refill };
}

/**
 * Send a contract program its turn and keep its standard input open, since a cancellation may have to follow. A program
 * that says nothing for a while may be one that reads to the end of its input first: then the input is ended.
 */
export function holdStdin(child: ChildHandle, turn: string, holdMs = HOLD_MS): void {
  void child.writeStdin(turn);
  const timer = setTimeout(() => void child.endStdin(), holdMs);
  timer.unref();
  void child.firstOutput.then(() => clearTimeout(timer));
}
