import { setTimeout as sleep } from "node:timers/promises";
import type { JsonValue } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import { type ConversationAction, ConversationStateStructureSchema } from "@caret/protocol/agent-api/conversation";
import type { AgentClientMessage, AgentRunRequest } from "@caret/protocol/agent-api/run";
import { playModel } from "../../agent/play-model.ts";
import type { Ids } from "../../cli/ids.ts";
import type { ModelMessage } from "../../model/model.ts";
import { createRuleModel } from "../../model/rule-model.ts";
import { playScenario } from "../../scenario/play-scenario.ts";
import type { Scenario } from "../../scenario/scenario.ts";
import { selectTurn } from "../../scenario/select-turn.ts";
import type { Step } from "../../scenario/step-shapes.ts";
import { ConversationMemory } from "./conversation-memory.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { RunAttempts } from "./run-attempts.ts";
import { nativeToolsOf, type RunContext, readRunContext, type ToolHeaders } from "./run-context.ts";
import { RunFailure, toEndFrame } from "./run-failure.ts";
import { AttemptCut, type RunFaultWorld, runFaults } from "./run-faults.ts";
import { RunLink } from "./run-link.ts";
import { RunStage } from "./run-stage.ts";
import { prepareAct } from "./tool-acts.ts";

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
  const cancelling = new AbortController();
  const signal = AbortSignal.any([run.signal, cancelling.signal]);
  let stage: RunStage | undefined;
  const link = new RunLink({
    writer,
    incoming: run.incoming,
    signal,
    record: (message: JsonValue) => world.log({ event: "message", requestId, message }),
    onAction: (action) => takeAction(action, { link, stage, cancel: () => cancelling.abort(new CancelledTurn()) }),
  });
  const listening = link.listen().catch((error: unknown) => cancelling.abort(error));
  const heartbeats = beat(link, writer, world.heartbeatMs);
  try {
    const request = await link.request;
    if (world.scenario.bootMs > 0) await sleep(world.scenario.bootMs, undefined, { signal });
    const turn = await openTurn(request, { run, world, link, signal });
    stage = turn.stage;
    await play(turn, { run, world, link, signal, heartbeats });
  } catch (error) {
    await conclude(error, { writer, stage, isGone: run.signal.aborted });
  } finally {
    heartbeats.stop();
    await writer.end();
  }
  await listening;
}

interface Serving {
  readonly run: IncomingRun;
  readonly world: RunWorld;
  readonly link: RunLink;
  readonly signal: AbortSignal;
}

interface OpenTurn {
  readonly request: AgentRunRequest;
  readonly context: RunContext;
  readonly stage: RunStage;
  readonly prompt: string;
  readonly earlierTurns: number;
}

/** Reads what the client sent and keeps, and sets the stage. */
async function openTurn(request: AgentRunRequest, { run, world, link, signal }: Serving): Promise<OpenTurn> {
  const conversationId = request.conversationId ?? run.requestId;
  const context = await readRunContext(request, link);
  const memory = new ConversationMemory({
    link,
    state: request.conversationState ?? create(ConversationStateStructureSchema),
    preFetched: request.preFetchedBlobs,
    runId: request.runId ?? run.requestId,
  });
  const earlier = await memory.read();
  await memory.beginTurn(context.userMessage);
  const prompt: ModelMessage[] =
    context.userMessage === undefined ? [] : [{ role: "user", text: context.userMessage.text }];
  memory.append(prompt);
  if (context.userMessage !== undefined) {
    link.update({ case: "userMessageAppended", value: { userMessage: context.userMessage } });
  }
  const said = [...earlier, ...prompt].flatMap((message) => (message.role === "user" ? [message.text] : []));
  const system: ModelMessage[] = context.system === "" ? [] : [{ role: "system", text: context.system }];
  const ids = world.ids.fork(`${conversationId}/${said.length}`);
  const modelId = request.requestedModel?.modelId ?? request.modelDetails?.modelId ?? "default";
  const acting = { link, workspace: context.workspace, conversationId, modelId };
  const stage = new RunStage({
    link,
    writer: run.writer,
    memory,
    history: [...system, ...earlier, ...prompt],
    requestId: run.requestId,
    ids,
    now: world.now,
    signal,
    prepare: (call, toolCallId) => prepareAct(call, { ...acting, toolCallId }),
  });
  return { request, context, stage, prompt: said.at(-1) ?? "", earlierTurns: Math.max(said.length - 1, 0) };
}

async function play(turn: OpenTurn, serving: Serving & Pick<RunFaultWorld, "heartbeats">): Promise<void> {
  const { run, world, link, signal, heartbeats } = serving;
  const { request, context, stage, prompt, earlierTurns } = turn;
  const { scenario, ticket } = world;
  const chosen = selectTurn({ scenario, ticket, prompt, earlierTurns });
  if (chosen === undefined) {
    const model = createRuleModel({ seed: world.ids.fork(request.conversationId ?? "").number() });
    const nativeTools = nativeToolsOf(run.tools, context.mode);
    const { offeredTools, mode, workspace } = context;
    return playModel({ model, stage, request: () => ({ nativeTools, offeredTools, mode, workspace }) });
  }
  const key = request.runId ?? `${request.conversationId}#${earlierTurns}`;
  const steps = world.attempts.stepsOf(key, chosen, context.isResumed);
  const { writer } = run;
  const { connections, log } = world;
  const onCut = (step: Step) => world.attempts.cut(key, step);
  await playScenario({
    stage,
    steps,
    signal,
    flush: () => undefined,
    faults: runFaults({ writer, link, stage, signal, heartbeats, connections, log, onCut }),
    pace: scenario,
    words: { prompt, sessionId: request.conversationId ?? "", workspace: context.workspace },
  });
}

interface Steering {
  readonly link: RunLink;
  readonly stage: RunStage | undefined;
  readonly cancel: () => void;
}

/** What the client says while the turn runs: more words of the user, or that it should stop. */
function takeAction({ action }: ConversationAction, { link, stage, cancel }: Steering): void {
  if (action.case === "cancelAction") cancel();
  if (action.case !== "injectContextAction") return;
  const { injectionId, payload } = action.value;
  const text = payload.case === "userContext" ? payload.value.userMessage?.text : undefined;
  const tell = (state: "delivered" | "rejected") =>
    link.update({
      case: "contextInjectionState",
      value: { injectionId, state: { state: { case: state, value: {} } } },
    });
  if (stage === undefined || text === undefined) return tell("rejected");
  stage.inject({ role: "user", text });
  tell("delivered");
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

/** Tells the client every so often that the run is alive, once it has been told anything. */
function beat(link: RunLink, writer: FrameWriter, everyMs: number): { stop(): void } {
  const timer = setInterval(() => {
    if (writer.isOpen && !writer.isClosed) link.update({ case: "heartbeat", value: {} });
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}
