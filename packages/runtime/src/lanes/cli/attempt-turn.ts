import { type AgentEvent, CaretError, type LaneName } from "@caret/protocol";
import { createDecoder } from "../../dialects/decoder.ts";
import type { Ending } from "../../dialects/dialect.ts";
import type { LaneContext, LaneRequest } from "../../engine/lane.ts";
import type { ChildExit, ChildHandle } from "../../process/child-handle.ts";
import type { ResolvedLaunch } from "../../process/resolve-launch.ts";
import type { WarmProfile } from "../../process/warm-key.ts";
import type { ResolvedProfile } from "../../profiles/profile.ts";
import type { Attempt } from "../../profiles/rotation.ts";
import { contractTurn, fitsArgument, officialInvocation } from "./agent-arguments.ts";
import type { AgentHost } from "./agent-host.ts";
import { type AgentProgram, findProgram } from "./agent-program.ts";
import { childCommandOf } from "./child-command-of.ts";
import { classifyFailure } from "./classify-failure.ts";
import { holdStdin } from "./hold-stdin.ts";
import { failed, runAgent } from "./run-agent.ts";
import { createTurnClocks } from "./turn-clocks.ts";
import { createVersionTeller } from "./version-teller.ts";

export interface TurnAttempt {
  readonly host: AgentHost;
  readonly lane: LaneName;
  readonly request: LaneRequest;
  readonly attempt: Attempt;
  readonly context: LaneContext;
}

/** What an attempt found out before anything was started. */
interface Prepared {
  readonly program: AgentProgram;
  readonly profile: ResolvedProfile;
  readonly launch: ResolvedLaunch;
}

/** One try at a turn, with one profile and one model. Whatever goes wrong is its last event. */
export async function* attemptTurn(turn: TurnAttempt): AsyncGenerator<readonly AgentEvent[], void, undefined> {
  let prepared: Prepared;
  try {
    prepared = await prepare(turn);
  } catch (reason) {
    yield [failedEnd(reason)];
    return;
  }
  const asArgument = wantsArgument(turn, prepared.program);
  for await (const events of runOnce(turn, prepared, asArgument)) {
    const last = events.at(-1);
    const tooLong = asArgument && last?.type === "turn-end" && isTooLong(last.outcome);
    if (!tooLong) yield events;
    // The system's limit is lower than ours: standard input has none.
    else yield* runOnce(turn, prepared, false);
  }
}

async function prepare({ host, attempt }: TurnAttempt): Promise<Prepared> {
  const program = findProgram(attempt.model, host.programs);
  const profile = await host.resolveProfile(attempt.profile);
  host.noteSecrets(Object.values(profile.env));
  return { program, profile, launch: host.resolveLaunch(program.command) };
}

function failedEnd(reason: unknown): AgentEvent {
  return { type: "turn-end", outcome: { kind: "failed", error: CaretError.from(reason).toInfo() } };
}

function wantsArgument({ request, host }: TurnAttempt, program: AgentProgram): boolean {
  return program.style === "official" && program.promptAsArg && fitsArgument(request.prompt, host.policy.maxArgBytes);
}

function isTooLong(outcome: { kind: string; error?: { code: string } }): boolean {
  return outcome.kind === "failed" && outcome.error?.code === "prompt-too-long";
}

async function* runOnce(
  turn: TurnAttempt,
  prepared: Prepared,
  asArgument: boolean,
): AsyncGenerator<readonly AgentEvent[], void, undefined> {
  const { host, context } = turn;
  const { program } = prepared;
  const tellVersion = createVersionTeller(host.versions.find(prepared.launch, host.environment(prepared.profile)));
  let started: Started;
  try {
    started = await start(turn, prepared, asArgument);
  } catch (reason) {
    yield [failedEnd(reason)];
    return;
  }
  const { child, refill } = started;
  const turnMs = program.timeoutMs ?? host.clocks.turnMs;
  const run = runAgent({
    child,
    decoder: createDecoder({
      dialect: program.style === "official" ? "stream-json" : "contract",
      partial: program.partial,
      maxLineBytes: host.maxLineBytes,
      onRaw: context.onRaw,
    }),
    clocks: createTurnClocks({ ...host.clocks, turnMs }, host.monotonic),
    now: host.monotonic,
    signal: context.signal,
    graceMs: host.clocks.graceMs,
    cancelMessage:
      program.style === "contract" ? `${JSON.stringify({ type: "cancel", turnId: turn.request.turnId })}\n` : undefined,
    judgeExit: (exit, process, saidAnything) => judgeExit(turn, prepared, exit, process, saidAnything),
  });
  for await (const events of run) {
    const sessionId = noteUpstream(turn, prepared, events);
    if (sessionId !== undefined) refill.sessionId = sessionId;
    yield await tellVersion(events);
  }
  refill.now();
}

function noteUpstream(
  { lane, context, host }: TurnAttempt,
  prepared: Prepared,
  events: readonly AgentEvent[],
): string | undefined {
  for (const event of events) {
    if (event.type !== "session-ready" || event.sessionId === undefined) continue;
    const version = host.versions.known(prepared.launch);
    context.onUpstream({
      lane,
      sessionId: event.sessionId,
      configDir: prepared.profile.configDir ?? host.chatConfigDir(),
      ...(version === undefined ? {} : { version }),
    });
    return event.sessionId;
  }
  return undefined;
}

interface Refill {
  sessionId: string | undefined;
  now(): void;
}

interface Started {
  readonly child: ChildHandle;
  readonly refill: Refill;
}

/** A booted agent if one waits, else a new one. */
async function start(turn: TurnAttempt, prepared: Prepared, asArgument: boolean): Promise<Started> {
  const { host, request } = turn;
  const { program, launch, profile } = prepared;
  const workspace = request.workspace;
  if (program.style === "contract") {
    const line = await contractTurn(request);
    const child = host.spawn(childCommandOf({ host, launch, args: program.args, workspace, profile, stdin: "held" }));
    holdStdin(child, line);
    return { child, refill: { sessionId: undefined, now: () => undefined } };
  }
  const { args, stdin } = officialInvocation(request, program, host.policy, asArgument);
  if (stdin === undefined) {
    const child = host.spawn(childCommandOf({ host, launch, args, workspace, profile, stdin: "closed" }));
    return { child, refill: { sessionId: undefined, now: () => undefined } };
  }
  const warmProfile = (turnRequest: LaneRequest): WarmProfile => ({
    command: childCommandOf({
      host,
      launch,
      args: officialInvocation(turnRequest, program, host.policy, false).args,
      workspace,
      profile,
      stdin: "held",
    }),
    model: turn.attempt.model,
    resumedSession: turnRequest.upstream && `${turnRequest.upstream.sessionId} after ${turnRequest.previousTurnId}`,
    cliVersion: host.versions.known(launch) ?? "unknown",
  });
  const child = host.warm?.take(warmProfile(request)) ?? host.spawn(warmProfile(request).command);
  void child.writeStdin(stdin);
  void child.endStdin();
  const refill: Refill = {
    sessionId: undefined,
    now() {
      // An agent for this session's next turn, and one like this for the next session.
      if (refill.sessionId === undefined) return;
      const upstream = { lane: turn.lane, sessionId: refill.sessionId };
      if (request.upstream === undefined) host.warm?.refill(warmProfile(request));
      host.warm?.refill(warmProfile({ ...request, upstream, previousTurnId: request.turnId }));
    },
  };
  return { child, refill };
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
  // A contract program may end its turn by leaving, as long as it leaves in peace.
  if (program.style === "contract" && exit.code === 0) return { kind: "end-of-stream" };
  const error = classifyFailure({
    stderr,
    exitCode: exit.code,
    signal: exit.signal,
    stdoutEmpty: !saidAnything,
    commandName: program.command ?? launch.file.split(/[\\/]/).at(-1) ?? launch.file,
    platform: host.platform,
  });
  return failed(error, stderr);
}
