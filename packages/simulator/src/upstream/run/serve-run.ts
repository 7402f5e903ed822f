import { setTimeout as sleep } from "node:timers/promises";
import type { JsonValue } from "@bufbuild/protobuf";
import type { AgentClientMessage, AgentRunRequest } from "@caret/protocol/agent-api/run";
import { playModel } from "../../agent/play-model.ts";
import { playScenario } from "../../agent/play-scenario.ts";
import { createRuleModel } from "../../model/rule-model.ts";
import type { Ids } from "../../process/ids.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { selectTurn } from "../../scenario/select-turn.ts";
import type { Step } from "../../scenario/step-shapes.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { type OpenTurn, openTurn } from "./open-turn.ts";
import { playPrelude } from "./play-prelude.ts";
import type { RunAttempts } from "./run-attempts.ts";
import { nativeToolsOf, promptOf, type ToolHeaders } from "./run-context.ts";
import { RunFailure, toEndFrame } from "./run-failure.ts";
import { AttemptCut, type RunFaultWorld, runFaults } from "./run-faults.ts";
import { RunLink } from "./run-link.ts";
import type { RunStage } from "./run-stage.ts";
import { takeAction } from "./take-action.ts";

/** What all runs of an upstream share. */
export interface RunWorld {
  readonly scenario: Scenario;
  /** Numbers the runs, for a scenario that advances by them. */
  readonly ticket: () => number;
  readonly ids: Ids;
  readonly now: () => number;
  readonly heartbeatMs: number;
  readonly attempts: RunAttempts;
  readonly connections: RunFaultWorld["connections"];
  readonly log: (record: Readonly<Record<string, unknown>>) => void;
  /** Called when a run begins; what it gives is called when the client's stream is over. */
  readonly onOpen: () => () => void;
}

export interface IncomingRun {
  readonly requestId: string;
  readonly tools: ToolHeaders;
  readonly incoming: AsyncIterable<AgentClientMessage>;
  readonly writer: FrameWriter;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
}

/** Why a turn stops that its client has cancelled: it ends in good order, and is kept. */
class CancelledTurn extends Error {
  override readonly name = "CancelledTurn";
}

/** One run, from its request to its end frame. */
export async function serveRun(run: IncomingRun, world: RunWorld): Promise<void> {
  const { writer, requestId } = run;
  const onClosed = world.onOpen();
  if (run.signal.aborted) onClosed();
  else run.signal.addEventListener("abort", onClosed, { once: true });
  const cancelling = new AbortController();
  const signal = AbortSignal.any([run.signal, cancelling.signal]);
  let stage: RunStage | undefined;
  const cancel = () => {
    link.abortExecs();
    cancelling.abort(new CancelledTurn());
  };
  const link = new RunLink({
    writer,
    incoming: run.incoming,
    signal,
    record: (message: JsonValue) => world.log({ event: "message", requestId, message }),
    onAction: (action) => takeAction(action, { link, stage, cancel }),
  });
  const listening = link.listen().catch((error: unknown) => cancelling.abort(error));
  const heartbeats = beat(link, writer, world.heartbeatMs);
  try {
    await play(await link.request, { run, world, link, signal, heartbeats, onStage: (set) => (stage = set) });
  } catch (error) {
    await conclude(error, { writer, stage, isGone: run.signal.aborted });
  } finally {
    heartbeats.stop();
    await writer.end();
  }
  await listening;
}

interface Serving extends Pick<RunFaultWorld, "link" | "signal" | "heartbeats"> {
  readonly run: IncomingRun;
  readonly world: RunWorld;
  readonly onStage: (stage: RunStage) => void;
}

/** A scenario may misbehave before anything is sent; then the turn is opened, and scenario or mind play it. */
async function play(request: AgentRunRequest, serving: Serving): Promise<void> {
  const { run, world, link, signal, heartbeats } = serving;
  const { writer, requestId } = run;
  const { scenario, attempts, ids, now, connections, log } = world;
  if (scenario.bootMs > 0) await sleep(scenario.bootMs, undefined, { signal });
  const earlierTurns = countTurns(request);
  const key = request.runId ?? `${request.conversationId}#${earlierTurns}`;
  const steps = chooseSteps(request, { key, earlierTurns, world });
  let turn: OpenTurn | undefined;
  const checkpoint = () => turn?.stage.checkpoint();
  const onCut = (step: Step) => attempts.cut(key, step);
  const faults = runFaults({ writer, link, signal, heartbeats, connections, log, onCut, checkpoint });
  const rest = steps && (await playPrelude(steps, { faults, signal }));
  turn = await openTurn({ request, requestId, link, writer, ids, now, signal });
  serving.onStage(turn.stage);
  if (rest === undefined) return think(turn, request, serving);
  const words = {
    prompt: attempts.promptOf(key),
    sessionId: request.conversationId ?? "",
    workspace: turn.context.workspace,
  };
  await playScenario({ stage: turn.stage, steps: rest, signal, faults, words, pace: scenario, flush: () => undefined });
}

/** How many turns came before this one; the state of a run that is resumed holds this one, too. */
function countTurns(request: AgentRunRequest): number {
  const turns = request.conversationState?.turns.length ?? 0;
  return promptOf(request) === undefined ? Math.max(turns - 1, 0) : turns;
}

interface Choice {
  readonly key: string;
  readonly earlierTurns: number;
  readonly world: RunWorld;
}

/** The steps of this attempt, or undefined when the scenario has none for the turn. */
function chooseSteps(request: AgentRunRequest, { key, earlierTurns, world }: Choice): readonly Step[] | undefined {
  const { scenario, ticket, attempts } = world;
  const prompt = promptOf(request);
  if (prompt !== undefined) attempts.begin(key, prompt);
  const steps = selectTurn({ scenario, ticket, prompt: attempts.promptOf(key), earlierTurns });
  return steps && attempts.stepsOf(key, steps, prompt === undefined);
}

async function think({ context, stage }: OpenTurn, request: AgentRunRequest, { run, world }: Serving): Promise<void> {
  const model = createRuleModel({ seed: world.ids.fork(request.conversationId ?? "").number() });
  const { offeredTools, mode, workspace } = context;
  const nativeTools = nativeToolsOf(run.tools, mode);
  await playModel({ model, stage, request: () => ({ nativeTools, offeredTools, mode, workspace }) });
}

interface Conclusion {
  readonly writer: FrameWriter;
  readonly stage: RunStage | undefined;
  readonly isGone: boolean;
}

/** What a client sees of a turn that did not come to its end by itself. */
async function conclude(error: unknown, { writer, stage, isGone }: Conclusion): Promise<void> {
  // A fault has already done what it does, and a client that is gone sees nothing.
  if (error instanceof AttemptCut || isGone) return;
  if (hasReason(error, CancelledTurn)) return stage?.finish();
  const failure = hasReason(error, RunFailure) ?? new RunFailure({ code: "internal", message: String(error) });
  writer.endStream(toEndFrame(failure.error));
}

/** The error itself, or the reason of an abort that it reports. */
function hasReason<Kind extends Error>(error: unknown, kind: new (...args: never[]) => Kind): Kind | undefined {
  if (error instanceof kind) return error;
  return error instanceof Error && error.cause instanceof kind ? error.cause : undefined;
}

/** Sends a heartbeat every so often, once the answer has a head. */
function beat(link: RunLink, writer: FrameWriter, everyMs: number): { stop(): void } {
  const timer = setInterval(() => {
    if (writer.isOpen && !writer.isClosed) link.update({ case: "heartbeat", value: {} });
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}
