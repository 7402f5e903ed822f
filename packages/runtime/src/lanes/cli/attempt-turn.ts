import { type AgentEvent, CaretError } from "@caret/protocol";
import { createDecoder } from "../../decode/decoder.ts";
import type { Ending } from "../../decode/dialect.ts";
import type { ChildExit, ChildHandle } from "../../process/child-handle.ts";
import { fitsArgument } from "./agent-arguments.ts";
import { type AgentProgram, findProgram } from "./agent-program.ts";
import { classifyFailure } from "./classify-failure.ts";
import { commandName } from "./command-name.ts";
import { openContractTurn } from "./contract-calls.ts";
import { type OfferedTurn, openBridgedTurn } from "./offered-turn.ts";
import { failed, runAgent } from "./run-agent.ts";
import { type Prepared, type Started, startAgent, type TurnAttempt } from "./start-agent.ts";
import { type ClockSettings, createTurnClocks } from "./turn-clocks.ts";
import { createVersionTeller } from "./version-probe.ts";

const OFFERED_MARGIN_MS = 10_000;

/** One try at a turn, with one profile and one model. Whatever goes wrong is its last event. */
export async function* attemptTurn(turn: TurnAttempt): AsyncGenerator<readonly AgentEvent[], void, undefined> {
  let prepared: Prepared;
  try {
    prepared = await prepare(turn);
  } catch (reason) {
    yield [endBeforeStart(reason, turn.context.signal)];
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
  return { program, profile, launch: await host.resolveLaunch(program.command) };
}

/** A turn that was cancelled while it waited to start has not failed. */
function endBeforeStart(reason: unknown, signal: AbortSignal): AgentEvent {
  if (signal.aborted) return { type: "turn-end", outcome: { kind: "cancelled" } };
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
  const tellVersion = createVersionTeller(findVersion(turn, prepared));
  let started: Started;
  let offered: OfferedTurn | undefined;
  try {
    offered = await openOfferedTurn(turn, prepared);
    started = await startAgent(turn, prepared, { asArgument, covered: offered.covered });
  } catch (reason) {
    offered?.leave();
    yield [endBeforeStart(reason, context.signal)];
    return;
  }
  const { child, refill } = started;
  const clocks = createTurnClocks(clocksOf(turn, program), host.monotonic);
  offered.attach(child, (callId) => clocks.note([{ type: "tool-result", callId, status: "ok", output: "" }]));
  const run = runAgent({
    child,
    decoder: createDecoder({
      dialect: program.style === "official" ? "stream-json" : "contract",
      partial: program.partial,
      maxLineBytes: host.maxLineBytes,
      shortensResults: program.style === "official",
      onRaw: context.onRaw,
    }),
    clocks,
    now: host.monotonic,
    signal: offered.signal === undefined ? context.signal : AbortSignal.any([context.signal, offered.signal]),
    graceMs: host.clocks.graceMs,
    lingerMs: host.clocks.graceMs + host.clocks.drainMs,
    cancelMessage:
      program.style === "contract" ? `${JSON.stringify({ type: "cancel", turnId: turn.request.turnId })}\n` : undefined,
    judgeExit: (exit, process, saidAnything) => judgeExit(turn, prepared, exit, process, saidAnything),
  });
  try {
    let sessionId: string | undefined;
    for await (const events of run) {
      sessionId = noteUpstream(turn, prepared, events) ?? sessionId;
      const shown = offered.show(await tellVersion(events));
      if (shown.length > 0) yield shown;
      offered.taken();
    }
    if (sessionId !== undefined) refill(sessionId);
  } finally {
    offered.leave();
  }
}

/**
 * Whoever runs offered tools has limits of its own: for the person or client that is asked, and then for the tool. The
 * lane's clock only has to end what these did not.
 */
function clocksOf({ host, request }: TurnAttempt, { timeoutMs }: AgentProgram): ClockSettings {
  const { turnMs, toolMs } = host.clocks;
  const patience = request.offered === undefined ? toolMs : 2 * toolMs + OFFERED_MARGIN_MS;
  return { ...host.clocks, turnMs: timeoutMs ?? turnMs, toolMs: patience };
}

/** A contract program asks for its calls in its stream; the official CLI reaches offered tools over the bridge. */
async function openOfferedTurn(
  { host, request, context }: TurnAttempt,
  { program, profile }: Prepared,
): Promise<OfferedTurn> {
  if (program.style === "contract") return openContractTurn(request.offered, host.boundary);
  return await openBridgedTurn(host, request, host.agentFiles(profile), context.signal);
}

/** A program of one's own knows the contract, not the official CLI's options: it is not asked. */
async function findVersion({ host }: TurnAttempt, { program, launch, profile }: Prepared): Promise<string | undefined> {
  return program.style === "official" ? await host.versions.find(launch, host.environment(profile)) : undefined;
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
    commandName: commandName(program.command, launch.file),
    platform: host.platform,
  });
  return failed(error, stderr);
}
