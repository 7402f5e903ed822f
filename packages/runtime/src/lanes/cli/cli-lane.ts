import { type AgentEvent, type AgentEventOf, CaretError, type LaneName } from "@caret/protocol";
import { chatExists } from "../../chats/chat-exists.ts";
import type { UpstreamAttachment } from "../../log/event-store.ts";
import {
  type Attempt,
  type Cooldowns,
  nextAttempt,
  type RotationState,
  startRotation,
} from "../../profiles/rotation.ts";
import type { Lane, LaneContext, LaneRequest } from "../lane.ts";
import { cliFeatures } from "./agent-arguments.ts";
import type { AgentHost } from "./agent-host.ts";
import { type AgentProgram, findProgram } from "./agent-program.ts";
import { attemptTurn } from "./attempt-turn.ts";
import { isRecoverable } from "./classify-failure.ts";
import { createChat } from "./create-chat.ts";
import type { TurnAttempt } from "./start-agent.ts";

export interface CliLaneOptions {
  readonly name: Extract<LaneName, "cli" | "sim">;
  readonly host: AgentHost;
}

/** Without profiles of its own a model logs in however the CLI does by itself. */
const DEFAULT_PROFILE = "default";

/** Run turns through a CLI: the official one, or a program of one's own that speaks the contract. */
export function createCliLane({ name, host }: CliLaneOptions): Lane {
  let cooldowns: Cooldowns = new Map();

  async function* runTurn(request: LaneRequest, context: LaneContext): AsyncGenerator<readonly AgentEvent[]> {
    const progress = { emitted: false };
    let rotation: RotationState | undefined = plan(request, cooldowns, host);
    while (rotation !== undefined) {
      const turn: TurnAttempt = { host, lane: name, request, attempt: rotation.attempt, context };
      const failure: AgentEventOf<"turn-end"> | undefined = yield* showAttempt(turn, progress);
      rotation = failure === undefined ? undefined : yield* recover(rotation, failure, progress.emitted);
    }
  }

  /** Say what is tried next, or give the failure after all when nothing is left to try. */
  async function* recover(
    state: RotationState,
    end: AgentEventOf<"turn-end">,
    emitted: boolean,
  ): AsyncGenerator<readonly AgentEvent[], RotationState | undefined> {
    const failureClass = classOf(end);
    const nowMs = host.wallClock();
    const next =
      failureClass === undefined
        ? undefined
        : nextAttempt(state, { failure: failureClass, emitted, cooldowns, nowMs, isHarmless: isHarmless(end) });
    cooldowns = next?.cooldowns ?? cooldowns;
    if (next === undefined || next.kind === "stop") {
      yield [end];
      return undefined;
    }
    yield [{ type: "notice", kind: next.kind, message: describeStep(state.attempt, next.state.attempt, end) }];
    return next.state;
  }

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
      // The first turn makes the chat itself where it can be told the id: then no process has to be started for it.
      if (cliFeatures(host.versions.known(launch)).newSessionId)
        return { ...attachment, sessionId: host.newId(), isReserved: true };
      const id = await createChat({ host, workspace, signal });
      return id === undefined ? undefined : { ...attachment, sessionId: id };
    },
    close: () => host.close(),
  };
}

/** Everything an attempt gives, but not an end that may still be averted: that is returned instead. */
async function* showAttempt(
  turn: TurnAttempt,
  progress: { emitted: boolean },
): AsyncGenerator<readonly AgentEvent[], AgentEventOf<"turn-end"> | undefined> {
  let failure: AgentEventOf<"turn-end"> | undefined;
  for await (const events of attemptTurn(turn)) {
    failure = recoverableEnd(events, progress.emitted);
    const shown = failure === undefined ? events : events.slice(0, -1);
    progress.emitted ||= shown.some(isSemantic);
    if (shown.length > 0) yield shown;
  }
  return failure;
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

/** The end of an attempt that failed before it said anything, if something else may still be tried. */
function recoverableEnd(events: readonly AgentEvent[], emitted: boolean): AgentEventOf<"turn-end"> | undefined {
  const last = events.at(-1);
  if (last?.type !== "turn-end" || emitted || events.some(isSemantic)) return undefined;
  return classOf(last) === undefined ? undefined : last;
}

function classOf({ outcome }: AgentEventOf<"turn-end">): ReturnType<typeof isRecoverable> {
  if (outcome.kind !== "failed") return undefined;
  return isRecoverable(new CaretError(outcome.error.code, outcome.error.message));
}

/** An agent that could not start, or could not reach its server, has not worked on the prompt and not spent anything. */
function isHarmless({ outcome }: AgentEventOf<"turn-end">): boolean {
  if (outcome.kind !== "failed") return false;
  return outcome.error.code === "agent-unavailable" || outcome.error.code === "upstream-unreachable";
}

/** Something a person has seen: after it a second answer must not begin. */
function isSemantic(event: AgentEvent): boolean {
  return event.type.startsWith("text-") || event.type.startsWith("thinking-") || event.type.startsWith("tool-");
}

function describeStep(from: Attempt, to: Attempt, { outcome }: AgentEventOf<"turn-end">): string {
  const why = outcome.kind === "failed" ? outcome.error.message : outcome.kind;
  if (from.model !== to.model) return `${from.model} failed (${why}); trying the model ${to.model}`;
  if (from.profile !== to.profile) return `The profile ${from.profile} failed (${why}); trying ${to.profile}`;
  return `The attempt failed (${why}); trying once more`;
}
