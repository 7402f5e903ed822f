import { setTimeout as sleep } from "node:timers/promises";
import type { Ids } from "../cli/ids.ts";
import type { ModelCall, ModelMessage } from "../model/model.ts";
import type { ByteWriter } from "../output/byte-writer.ts";
import type { TurnOutput, TurnStart, TurnUsage, WireCall } from "../output/turn-output.ts";
import type { PreparedCall } from "../tools/tool-run.ts";
import { defaultPace, type Pace, splitDeltas } from "./split-deltas.ts";
import type { CallAnswer, Ending, Stage, StagedCall } from "./stage.ts";
import { createWireIds, type ReplyIds } from "./wire-ids.ts";

export interface AgentStageOptions {
  readonly start: TurnStart;
  readonly output: TurnOutput;
  readonly writer: ByteWriter;
  readonly requestId: string;
  readonly ids: Ids;
  readonly now: () => number;
  readonly pace?: Pace;
  readonly signal: AbortSignal;
  readonly prepare: (call: ModelCall, toolCallId: string) => PreparedCall;
  /** Everything before this turn's first answer, the prompt included. */
  readonly history: readonly ModelMessage[];
  /** Called whenever something has been said or done, so that a killed turn can still be resumed. */
  readonly remember: (messages: readonly ModelMessage[]) => void;
}

/** The stage of the real CLI: the agent runs its own tools and an output format shows them. */
export function createAgentStage(options: AgentStageOptions): Stage {
  const { start, output, writer, requestId, now, signal, remember } = options;
  const messages: ModelMessage[] = [...options.history];
  const nextReply = createWireIds(options.ids, requestId);
  let isOpen = false;
  let unrecorded = "";
  let usage: TurnUsage | undefined;

  function open(): void {
    if (isOpen) return;
    isOpen = true;
    output.start(start);
    writer.flush();
  }
  async function pour(text: string, pace: Pace, show: (delta: string) => void): Promise<void> {
    for (const delta of splitDeltas(text, pace.tokensPerDelta)) {
      show(delta);
      if (pace.deltaMs <= 0) continue;
      writer.flush();
      await sleep(pace.deltaMs, undefined, { signal });
    }
    writer.flush();
  }
  function record(added: readonly ModelMessage[]): void {
    messages.push(...added);
    unrecorded = "";
    remember(added);
  }
  function recordSpeech(calls: readonly ModelCall[]): void {
    if (unrecorded !== "" || calls.length > 0) record([{ role: "assistant", text: unrecorded, calls }]);
  }
  async function act(call: StagedCall, ids: ReplyIds): Promise<CallAnswer> {
    const callId = ids.nextCallId();
    const prepared = options.prepare(call, callId);
    const wire: WireCall = { callId, modelCallId: ids.modelCallId, prepared, startedAt: now() };
    if (prepared.query?.when === "before-started") output.query(prepared.query);
    if (call.started !== false) output.toolStarted(wire);
    if (prepared.query?.when === "after-started") output.query(prepared.query);
    writer.flush();
    const outcome = await prepared.run(signal);
    for (let shown = 0; shown < (call.completed ?? 1); shown += 1) output.toolCompleted(wire, outcome);
    writer.flush();
    return { call: toModelCall(call), ok: outcome.ok, output: outcome.output };
  }

  return {
    messages,
    open,
    async think(text, pace = options.pace ?? defaultPace) {
      open();
      await pour(text, pace, output.thinkingDelta);
      output.thinkingEnd();
      writer.flush();
    },
    async say(text, pace = options.pace ?? defaultPace) {
      open();
      unrecorded += text;
      await pour(text, pace, output.textDelta);
    },
    async call(calls) {
      open();
      recordSpeech(calls.map(toModelCall));
      const ids = nextReply();
      const answers = await Promise.all(calls.map((call) => act(call, ids)));
      record(answers.map((answer): ModelMessage => ({ role: "tool", ...answer })));
      return answers;
    },
    event(event) {
      open();
      output.event(event);
      writer.flush();
    },
    addUsage(added) {
      usage = sum(usage, added);
    },
    async finish(ending: Ending = {}) {
      open();
      recordSpeech([]);
      const isError = ending.isError ?? false;
      const reported = ending.usage ?? usage ?? noUsage;
      output.result({
        subtype: ending.subtype ?? (isError ? "error" : "success"),
        isError,
        requestId,
        ...(ending.text === undefined ? {} : { text: ending.text }),
        ...(reported === false ? {} : { usage: reported }),
      });
      await writer.drained();
    },
  };
}

const noUsage: TurnUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

function sum(before: TurnUsage = noUsage, added: TurnUsage): TurnUsage {
  return {
    inputTokens: before.inputTokens + added.inputTokens,
    outputTokens: before.outputTokens + added.outputTokens,
    cacheReadTokens: before.cacheReadTokens + added.cacheReadTokens,
    cacheWriteTokens: before.cacheWriteTokens + added.cacheWriteTokens,
  };
}

function toModelCall({ server, name, args }: ModelCall): ModelCall {
  return server === undefined ? { name, args } : { server, name, args };
}
