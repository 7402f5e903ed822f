import { CaretError, type LaneName } from "@caret/protocol";
import { chatExists } from "../../chats/chat-exists.ts";
import type { UpstreamAttachment } from "../../log/event-store.ts";
import {
  type Attempt,
  type Cooldowns,
  nextAttempt,
  type RotationState,
  startRotation,
} from "../../profiles/rotation.ts";
import { type Lane, type LaneEntry, type LaneRequest, outcomeOfStop } from "../lane.ts";
import { cliFeatures } from "./agent-arguments.ts";
import type { AgentHost } from "./agent-host.ts";
import { type AgentProgram, findProgram } from "./agent-program.ts";
import { isRecoverable } from "./classify-failure.ts";
import { createChat } from "./create-chat.ts";
import { openAttempt } from "./open-attempt.ts";
import { readAgent } from "./read-agent.ts";
import type { TurnAttempt } from "./start-agent.ts";

export interface CliLaneOptions {
  readonly name: Extract<LaneName, "cli" | "sim">;
  readonly host: AgentHost;
}

/** Without profiles of its own a model logs in however the CLI does by itself. */
const DEFAULT_PROFILE = "default";
const TOO_LONG = "prompt-too-long";

type LaneBatch = readonly LaneEntry[];

/** What an attempt is made with. */
interface Step {
  readonly state: RotationState;
  /** The prompt was too long for the command line. */
  readonly viaStdin: boolean;
}

interface NextStep {
  /** Undefined when nothing is left to try. */
  readonly step: Step | undefined;
  readonly entries: LaneBatch;
}

/** An attempt that failed before it answered anything: its last entry is not shown unless nothing is left to try. */
interface Failure {
  readonly entry: LaneEntry;
  readonly error: CaretError;
}

/** Run turns through a CLI: the official one, or a program of one's own that speaks the contract. */
export function createCliLane({ name, host }: CliLaneOptions): Lane {
  let cooldowns: Cooldowns = new Map();

  /** One attempt after the other, each with the next profile or model, until one answers or nothing is left to try. */
  async function* runTurn(request: LaneRequest, signal: AbortSignal): AsyncGenerator<readonly LaneEntry[]> {
    let step: Step | undefined = { state: plan(request, cooldowns, host), viaStdin: false };
    while (step !== undefined) {
      const { state, viaStdin }: Step = step;
      const opened = await open({ host, lane: name, request, attempt: state.attempt, viaStdin, signal });
      const ending = createWithheldEnd(opened.asArgument, signal);
      for await (const entries of opened.batches) {
        const shown = ending.withhold(entries);
        if (shown.length > 0) yield shown;
      }
      const next: NextStep = recover(step, ending.failure());
      if (next.entries.length > 0) yield next.entries;
      step = next.step;
    }
  }

  /** What is tried next, and a notice of it; or the failure after all when nothing is left to try. */
  const recover = ({ state, viaStdin }: Step, failed: Failure | undefined): NextStep => {
    if (failed === undefined) return { step: undefined, entries: [] };
    const { entry, error } = failed;
    // The system's limit for arguments is lower than ours: standard input has none.
    if (error.code === TOO_LONG) return { step: { state, viaStdin: true }, entries: [] };
    const failure = isRecoverable(error);
    const setting = { cooldowns, nowMs: host.wallClock(), isHarmless: isHarmless(error), emitted: false };
    const next = failure === undefined ? undefined : nextAttempt(state, { failure, ...setting });
    cooldowns = next?.cooldowns ?? cooldowns;
    if (next === undefined || next.kind === "stop") return { step: undefined, entries: [entry] };
    const message = describeStep(state.attempt, next.state.attempt, error);
    return {
      step: { state: next.state, viaStdin },
      entries: [{ event: { type: "notice", kind: next.kind, message } }],
    };
  };

  return {
    name,
    runTurn,
    canResume: ({ sessionId: id, configDir = host.chatConfigDir(), isReserved }, workspace) =>
      isReserved === true || chatExists({ configDir, workspace, id }),
    keepsSessions: (model) => programOf(model, host).style === "official",
    findSession(id, workspace) {
      const configDir = host.chatConfigDir();
      return chatExists({ configDir, workspace, id }) ? { lane: name, sessionId: id, configDir } : undefined;
    },
    async createSession(workspace, signal): Promise<UpstreamAttachment | undefined> {
      const attachment = { lane: name, configDir: host.chatConfigDir() };
      const launch = await host.resolveLaunch(host.programs.command);
      // The first turn makes the chat itself where it takes the id as an option: then no process has to be started for it.
      if (cliFeatures(host.versions.known(launch)).newSessionId)
        return { ...attachment, sessionId: host.newId(), isReserved: true };
      const id = await createChat({ host, workspace, signal });
      return id === undefined ? undefined : { ...attachment, sessionId: id };
    },
    close: () => host.close(),
  };
}

/** An attempt's batches. One whose agent cannot be started is its end alone. */
async function open(
  turn: TurnAttempt,
): Promise<{ readonly batches: AsyncIterable<LaneBatch> | readonly LaneBatch[]; readonly asArgument: boolean }> {
  try {
    const { run, asArgument } = await openAttempt(turn);
    return { batches: readAgent(run), asArgument };
  } catch (reason) {
    const { signal } = turn;
    const failed = { kind: "failed", error: CaretError.from(reason).toInfo() } as const;
    const outcome = signal.aborted ? outcomeOfStop(signal) : failed;
    return { batches: [[{ event: { type: "turn-end", outcome } }]], asArgument: false };
  }
}

function plan(request: LaneRequest, cooldowns: Cooldowns, host: AgentHost): RotationState {
  const { profiles, fallbackModels } = programOf(request.model, host);
  return startRotation({
    profiles: [profiles[0] ?? DEFAULT_PROFILE, ...profiles.slice(1)],
    models: [request.model, ...fallbackModels],
    cooldowns,
    nowMs: host.wallClock(),
  });
}

/** A model that cannot be found has no profiles and no fallbacks; the attempt itself will say what is wrong with it. */
function programOf(model: string, host: AgentHost): Pick<AgentProgram, "profiles" | "fallbackModels" | "style"> {
  try {
    return findProgram(model, host.programs);
  } catch (reason) {
    if (CaretError.is(reason)) return { profiles: [], fallbackModels: [], style: "official" };
    throw reason;
  }
}

/** Keeps the end of an attempt back while something else may still be tried: it failed, and nothing was answered before. */
function createWithheldEnd(asArgument: boolean, signal: AbortSignal) {
  let failure: Failure | undefined;
  let hasAnswered = false;
  return {
    /** What of a batch may be shown. */
    withhold(entries: LaneBatch): LaneBatch {
      if (hasAnswered || signal.aborted) return entries;
      failure = avertableEnd(entries, asArgument);
      if (failure !== undefined) return entries.slice(0, -1);
      hasAnswered = entries.some(isAnswer);
      return entries;
    },
    failure: () => failure,
  };
}

function avertableEnd(entries: LaneBatch, asArgument: boolean): Failure | undefined {
  const entry = entries.at(-1);
  if (entry?.event.type !== "turn-end" || entry.event.outcome.kind !== "failed") return undefined;
  const { code, message } = entry.event.outcome.error;
  const error = new CaretError(code, message);
  const canBeAverted = isRecoverable(error) !== undefined || (asArgument && code === TOO_LONG);
  return canBeAverted && !entries.some(isAnswer) ? { entry, error } : undefined;
}

/** An agent that could not start, or could not reach its server, has not worked on the prompt and not spent anything. */
function isHarmless({ code }: CaretError): boolean {
  return code === "agent-unavailable" || code === "upstream-unreachable";
}

/** Something a person has seen: after it a second answer must not begin. */
function isAnswer({ event: { type } }: LaneEntry): boolean {
  return type.startsWith("text-") || type.startsWith("thinking-") || type.startsWith("tool-");
}

function describeStep(from: Attempt, to: Attempt, { message }: CaretError): string {
  if (from.model !== to.model) return `${from.model} failed (${message}); trying the model ${to.model}`;
  if (from.profile !== to.profile) return `The profile ${from.profile} failed (${message}); trying ${to.profile}`;
  return `The attempt failed (${message}); trying once more`;
}
