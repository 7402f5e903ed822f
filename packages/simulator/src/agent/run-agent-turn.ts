import { type Chat, openChat } from "../chat/chat-store.ts";
import { readRules } from "../chat/read-rules.ts";
import { createTranscript, type Transcript } from "../chat/transcript.ts";
import type { ModelMessage } from "../model/model.ts";
import type { Ids } from "../process/ids.ts";
import type { Step } from "../scenario/step-shapes.ts";
import { AgentStage } from "./agent-stage.ts";
import { playModel } from "./play-model.ts";
import type { AgentTurn } from "./stage.ts";
import { openToolbox, type Toolbox } from "./toolbox.ts";

/** One turn of the agent: remembers the chat, gives the mind its tools, and lets scenario or model play. */
export async function runAgentTurn(turn: AgentTurn): Promise<void> {
  const { simulation, start, mode } = turn;
  const chat = openChat({
    chatsDir: turn.chatsDir,
    sessionId: start.sessionId,
    workspace: start.cwd,
    mode: mode === "agent" ? "default" : mode,
    modelId: turn.model.id,
    now: simulation.host.now,
  });
  const transcript = createTranscript(turn.projectDir, start.sessionId);
  const earlierTurns = chat.history.filter(({ role }) => role === "user").length;
  const ids = simulation.ids.fork(`${start.sessionId}/${earlierTurns}`);
  try {
    await play({ turn, chat, transcript, ids, steps: await selectSteps(turn, earlierTurns) });
    transcript.end("success");
  } finally {
    chat.close();
  }
}

async function selectSteps(
  { simulation, start }: AgentTurn,
  earlierTurns: number,
): Promise<readonly Step[] | undefined> {
  const { scenario } = simulation;
  if (scenario === undefined) return undefined;
  const { selectTurn, takeTicket } = await import("../scenario/select-turn.ts");
  const ticket = () => takeTicket(scenario.path);
  return selectTurn({ scenario: scenario.value, ticket, prompt: start.prompt, earlierTurns });
}

interface Play {
  readonly turn: AgentTurn;
  readonly chat: Chat;
  readonly transcript: Transcript;
  readonly ids: Ids;
  readonly steps: readonly Step[] | undefined;
}

async function play({ turn, chat, transcript, ids, steps }: Play): Promise<void> {
  const { simulation, start } = turn;
  const requestId = ids.uuid();
  let toolbox: Promise<Toolbox> | undefined;
  /** Opened by the first who needs it, so that a scenario of mere words starts no server. */
  const openTools = () => {
    toolbox ??= openToolbox({ turn, requestId, transcriptPath: transcript.path, ids });
    return toolbox;
  };
  const closeTools = async () => (await toolbox)?.close();
  simulation.stop.onStop(closeTools);
  const stage = new AgentStage({
    start,
    requestId,
    ids,
    output: turn.output,
    writer: turn.writer,
    now: simulation.streamNow,
    signal: simulation.stop.signal,
    prepare: async (call, toolCallId) => (await openTools()).prepare(call, toolCallId),
    settle: async () => (await toolbox)?.settleShells() ?? [],
    history: beginHistory(turn, chat, transcript),
    remember: (messages) => {
      chat.append(messages);
      transcript.append(messages);
    },
  });
  try {
    if (steps === undefined) await think(turn, stage, openTools, chat.history.length === 0);
    else await perform(turn, stage, steps);
  } finally {
    await closeTools();
  }
}

function beginHistory({ start, workspace }: AgentTurn, chat: Chat, transcript: Transcript): readonly ModelMessage[] {
  const prompt: ModelMessage = { role: "user", text: start.prompt };
  const rules = readRules(workspace);
  chat.append([prompt]);
  transcript.append([prompt]);
  return [...(rules === undefined ? [] : [{ role: "system" as const, text: rules }]), ...chat.history, prompt];
}

async function perform(turn: AgentTurn, stage: AgentStage, steps: readonly Step[]): Promise<void> {
  const { simulation, start, writer, workspace } = turn;
  const { playScenario } = await import("./play-scenario.ts");
  const { processFaults } = await import("../scenario/faults.ts");
  const { host, stop, log } = simulation;
  await playScenario({
    faults: { ...processFaults({ host, stop, log, writer, signal: stop.signal }), ...turn.faults },
    signal: stop.signal,
    flush: writer.flush,
    pace: simulation.scenario?.value ?? {},
    words: { prompt: start.prompt, sessionId: start.sessionId, workspace },
    stage,
    steps,
  });
}

async function think(
  turn: AgentTurn,
  stage: AgentStage,
  openTools: () => Promise<Toolbox>,
  isNewChat: boolean,
): Promise<void> {
  const { simulation, start, mode, workspace } = turn;
  stage.open();
  const tools = await openTools();
  if (isNewChat) await tools.runHooks("sessionStart", { composer_mode: mode });
  const { createRuleModel } = await import("../model/rule-model.ts");
  const model = createRuleModel({ seed: simulation.ids.fork(start.sessionId).number() });
  const { nativeTools } = tools;
  await playModel({
    model,
    stage,
    request: () => ({ nativeTools, offeredTools: tools.offeredTools, mode, workspace }),
  });
  await tools.runHooks("stop", { status: "completed", loop_count: 0 });
  await tools.runHooks("sessionEnd", { reason: "completed" });
}
