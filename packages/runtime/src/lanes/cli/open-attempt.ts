import { createDecoder } from "../../decode/decoder.ts";
import type { Ending } from "../../decode/dialect.ts";
import type { ChildExit, ChildHandle } from "../../process/child-handle.ts";
import type { OpenSandbox } from "../../sandbox/sandboxes.ts";
import { classifyFailure } from "../classify-failure.ts";
import { createTurnClocks, turnLimits } from "../turn-clocks.ts";
import { fitsArgument } from "./agent-arguments.ts";
import { type AgentProgram, findProgram } from "./agent-program.ts";
import type { AgentFiles } from "./bridged-workspace.ts";
import { programWords } from "./command-name.ts";
import { type OfferedTurn, openBridgedTurn } from "./offered-turn.ts";
import { pipeTest } from "./pipe-test.ts";
import { type AgentRun, failed } from "./read-agent.ts";
import type { RegisteredServers } from "./registered-servers.ts";
import { type Prepared, startAgent, type TurnAttempt } from "./start-agent.ts";
import { createVersionReport } from "./version-probe.ts";

/** An attempt with a running agent. */
export interface OpenAttempt {
  readonly run: AgentRun;
  /** Close it once the agent is gone; undefined if there is none. */
  readonly sandbox: Pick<OpenSandbox, "close"> | undefined;
  /** The prompt is an argument of the agent's command line, which the system may find too long. */
  readonly asArgument: boolean;
}

/** Starts the agent of one attempt at a turn, with one profile and one model. Rejects if it cannot be started. */
export async function openAttempt(wanted: TurnAttempt): Promise<OpenAttempt> {
  const prepared = await prepare(wanted);
  const { turn, servers } = await withServers(wanted, prepared);
  const asArgument = !turn.viaStdin && wantsArgument(turn, prepared.program);
  const version = createVersionReport(findVersion(turn, prepared));
  const sandbox = await turn.host.openSandbox(turn.request, prepared);
  let offered: OfferedTurn | undefined;
  try {
    offered = await openOfferedTurn(turn, prepared, { sandbox, servers });
    const how = { asArgument, covered: offered.covered, env: offered.env, sandbox };
    const { child, refill } = await startAgent(turn, prepared, how);
    return { run: { ...runOf(turn, prepared, child, offered), version, refill }, sandbox, asArgument };
  } catch (reason) {
    offered?.leave();
    await sandbox?.close();
    throw reason;
  }
}

async function prepare({ host, attempt }: TurnAttempt): Promise<Prepared> {
  const program = findProgram(attempt.model, host.programs);
  const profile = await host.resolveProfile(attempt.profile);
  host.noteSecrets(Object.values(profile.env));
  const launch = await host.resolveLaunch(program.command);
  return { program, profile, launch, version: host.versions.look(launch) };
}

function wantsArgument({ request, host }: TurnAttempt, program: AgentProgram): boolean {
  return program.style === "official" && program.promptAsArg && fitsArgument(request.prompt, host.policy.maxArgBytes);
}

function runOf(
  turn: TurnAttempt,
  prepared: Prepared,
  child: ChildHandle,
  offered: OfferedTurn,
): Omit<AgentRun, "version" | "refill"> {
  const { host, lane, request, signal } = turn;
  const { program, profile } = prepared;
  const limits = turnLimits(host.clocks, request.offered !== undefined, program.timeoutMs);
  const clocks = createTurnClocks(limits, host.monotonic);
  offered.attach(child, clocks.noteAnswered);
  return {
    child,
    decoder: createDecoder({
      // A program may speak any dialect that is recognised, as may a file that is decoded.
      dialect: "auto",
      ...(program.style === "contract" ? { expects: "contract" } : {}),
      partial: program.partial,
      maxLineBytes: host.maxLineBytes,
      shortensLongLines: program.style === "official",
      joinsDeltas: true,
    }),
    clocks,
    now: host.monotonic,
    signal: offered.signal === undefined ? signal : AbortSignal.any([signal, offered.signal]),
    graceMs: host.clocks.graceMs,
    lingerMs: host.clocks.graceMs + host.clocks.drainMs,
    cancelMessage:
      program.style === "contract" ? `${JSON.stringify({ type: "cancel", turnId: request.turnId })}\n` : undefined,
    judgeExit: (exit, process, saidAnything) => judgeExit(turn, prepared, exit, process, saidAnything),
    attachmentOf: (sessionId) => {
      const version = prepared.version.known();
      const configDir = profile.configDir ?? host.chatConfigDir();
      return { lane, sessionId, configDir, ...(version === undefined ? {} : { version }) };
    },
    offered,
  };
}

interface Registering {
  readonly turn: TurnAttempt;
  readonly servers: RegisteredServers | undefined;
}

/** A user's own program knows no MCP: the contract has its calls in the stream. */
async function withServers(turn: TurnAttempt, { program, profile }: Prepared): Promise<Registering> {
  const { host, request } = turn;
  const { registration, offered, sandbox } = request;
  if (registration === undefined || offered !== undefined || program.style === "contract")
    return { turn, servers: undefined };
  // Loaded only for a named agent with full access; no other turn needs it.
  const { registeredServers, withServersInside } = await import("./registered-servers.ts");
  const servers = registeredServers(registration, sandbox, host.agentFiles(profile));
  return { turn: { ...turn, request: withServersInside(request, servers) }, servers };
}

interface Around {
  readonly sandbox: OpenSandbox | undefined;
  readonly servers: RegisteredServers | undefined;
}

/** A contract program makes its calls in its stream; the official CLI reaches offered tools over the bridge. */
async function openOfferedTurn(
  { host, request, signal }: TurnAttempt,
  { program, profile }: Prepared,
  { sandbox, servers }: Around,
): Promise<OfferedTurn> {
  if (program.style === "contract") {
    // Loaded on demand, because it brings the JSON Schema validator along.
    const { openContractTurn } = await import("./contract-calls.ts");
    return openContractTurn(request, host.repair);
  }
  const { registration } = request;
  if (servers !== undefined && registration !== undefined) {
    const { openEnclosedTurn, openRegisteredTurn } = await import("./registered-turn.ts");
    const env = host.environment(profile);
    if (sandbox !== undefined) return openEnclosedTurn({ host, servers, request, env }, sandbox);
    const files = host.agentFiles(profile);
    return openRegisteredTurn({ host, request, registration, servers, files, env });
  }
  // In a sandbox the agent has its own configuration directory and sees none of the user's files.
  const files = sandbox === undefined ? host.agentFiles(profile) : filesIn(sandbox);
  return await openBridgedTurn(host, request, files, signal);
}

function filesIn({ configDir }: OpenSandbox): AgentFiles {
  return { configDir, projectRoots: [configDir], mcpFiles: [] };
}

/** A user's own program knows the contract, not the official CLI's options, so it is not asked. */
async function findVersion(
  { host }: TurnAttempt,
  { program, version, profile }: Prepared,
): Promise<string | undefined> {
  return program.style === "official" ? await version.find(host.environment(profile)) : undefined;
}

function judgeExit(
  { host }: TurnAttempt,
  { program, launch }: Prepared,
  exit: ChildExit,
  child: ChildHandle,
  saidAnything: boolean,
): Ending {
  const stderr = child.stderrTail();
  if (exit.kind !== "exited") return failed(exit.error, stderr);
  // A contract program may end its turn by exiting, provided it exits with 0 and has said something.
  if (program.style === "contract" && exit.code === 0 && saidAnything) return { kind: "end-of-stream" };
  const error = classifyFailure({
    stderr,
    exitCode: exit.code,
    signal: exit.signal,
    stdoutEmpty: !saidAnything,
    ...programWords(program.command, launch.file),
    pipeTest: pipeTest(program, launch.file, host.platform),
    platform: host.platform,
  });
  return failed(error, stderr);
}
