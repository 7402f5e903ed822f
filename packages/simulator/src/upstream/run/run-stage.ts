import { setTimeout as sleep } from "node:timers/promises";
import { defaultPace, type Pace, splitDeltas } from "../../agent/split-deltas.ts";
import type { CallAnswer, Ending, Stage, StagedCall } from "../../agent/stage.ts";
import { StageRecord, toModelCall } from "../../agent/stage-record.ts";
import { createWireIds, type ReplyIds } from "../../agent/wire-ids.ts";
import type { ModelCall, ModelMessage } from "../../model/model.ts";
import { addUsage, noUsage, type TurnUsage } from "../../output/result-event.ts";
import type { Ids } from "../../process/ids.ts";
import { type PreparedAct, toToolCall } from "./act.ts";
import type { ConversationMemory } from "./conversation-memory.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { RunFailure } from "./run-failure.ts";
import type { RunLink } from "./run-link.ts";

export interface RunStageOptions {
  readonly link: RunLink;
  readonly writer: FrameWriter;
  readonly memory: ConversationMemory;
  /** Everything that was said, this turn's prompt included. */
  readonly history: readonly ModelMessage[];
  readonly requestId: string;
  readonly ids: Ids;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly prepare: (call: ModelCall, toolCallId: string) => PreparedAct;
}

/** The stage of the upstream: what is said and done becomes updates of a run, and tools are the client's to carry out. */
export class RunStage implements Stage {
  readonly #record: StageRecord;
  readonly #options: RunStageOptions;
  readonly #nextReply: () => ReplyIds;
  #isOpen = false;
  #steps = 0n;
  #usage: TurnUsage | undefined;

  get messages(): readonly ModelMessage[] {
    return this.#record.messages;
  }

  constructor(options: RunStageOptions) {
    this.#options = options;
    this.#record = new StageRecord(options.history, (added) => options.memory.append(added));
    this.#nextReply = createWireIds(options.ids, options.requestId);
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#options.link.update({ case: "stepStarted", value: { stepId: this.#steps } });
  }

  async think(text: string, pace?: Pace): Promise<void> {
    const { link, now } = this.#options;
    this.open();
    const startedAt = now();
    await this.#pour(text, pace, (delta) => link.update({ case: "thinkingDelta", value: { text: delta } }));
    link.update({ case: "thinkingCompleted", value: { thinkingDurationMs: now() - startedAt } });
  }

  async say(text: string, pace?: Pace): Promise<void> {
    const { link } = this.#options;
    this.open();
    this.#record.say(text);
    await this.#pour(text, pace, (delta) => link.update({ case: "textDelta", value: { text: delta } }));
  }

  async call(calls: readonly StagedCall[]): Promise<readonly CallAnswer[]> {
    this.open();
    this.#record.endSpeech(calls.map(toModelCall));
    const { modelCallId, nextCallId } = this.#nextReply();
    const answers = await Promise.all(calls.map((call) => this.#act(call, nextCallId(), modelCallId)));
    this.#record.add(answers.map((answer): ModelMessage => ({ role: "tool", ...answer })));
    this.#completeStep();
    this.checkpoint();
    return answers;
  }

  /** An event of the CLI's stream has no place here but as a notice of the server. */
  event(event: Readonly<Record<string, unknown>>): void {
    this.open();
    this.#options.link.update({ case: "textDelta", value: { text: JSON.stringify(event), isServerNotice: true } });
  }

  addUsage(added: TurnUsage): void {
    this.#usage = addUsage(this.#usage ?? noUsage, added);
  }

  /** Takes up what the user said while the turn runs. */
  inject(message: ModelMessage): void {
    this.#record.endSpeech();
    this.#record.add([message]);
  }

  checkpoint(): void {
    this.#record.endSpeech();
    const { inputTokens, outputTokens, cacheReadTokens } = this.#usage ?? this.#record.estimate();
    this.#options.memory.checkpoint(inputTokens + outputTokens + cacheReadTokens);
  }

  async finish(ending: Ending = {}): Promise<void> {
    const { link, writer } = this.#options;
    this.open();
    if (ending.isError === true) {
      throw new RunFailure({ code: "internal", message: ending.text ?? "The turn failed" });
    }
    this.#completeStep();
    this.checkpoint();
    const usage = ending.usage ?? this.#usage ?? this.#record.estimate();
    link.update({ case: "turnEnded", value: usage === false ? {} : toTurnEnded(usage) });
    this.checkpoint();
    writer.endStream({});
    await writer.drained();
  }

  async #act(call: StagedCall, callId: string, modelCallId: string): Promise<CallAnswer> {
    const { link, prepare, signal } = this.#options;
    const act = prepare(call, callId);
    const wire = { callId, modelCallId };
    if (call.started !== false) {
      const toolCall = toToolCall(act, callId);
      link.update({ case: "partialToolCall", value: { ...wire, toolCall, argsTextDelta: JSON.stringify(act.args) } });
      link.update({ case: "toolCallStarted", value: { ...wire, toolCall } });
    }
    const outcome = await act.run();
    signal.throwIfAborted();
    for (let shown = 0; shown < (call.completed ?? 1); shown += 1) {
      link.update({ case: "toolCallCompleted", value: { ...wire, toolCall: toToolCall(act, callId, outcome.result) } });
    }
    return { call: toModelCall(call), ok: outcome.ok, output: outcome.output };
  }

  async #pour(text: string, pace: Pace = defaultPace, show: (delta: string) => void): Promise<void> {
    const { writer, signal, link } = this.#options;
    for (const delta of splitDeltas(text, pace.tokensPerDelta)) {
      show(delta);
      if (pace.deltaMs > 0) await sleep(pace.deltaMs, undefined, { signal });
      else if (writer.isFull) await writer.drained();
      signal.throwIfAborted();
    }
    link.update({ case: "tokenDelta", value: { tokens: Math.ceil(text.length / 4) } });
  }

  #completeStep(): void {
    if (!this.#isOpen) return;
    this.#options.link.update({ case: "stepCompleted", value: { stepId: this.#steps, stepDurationMs: 1n } });
    this.#steps += 1n;
    this.#isOpen = false;
  }
}

function toTurnEnded({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: TurnUsage) {
  return {
    inputTokens: BigInt(inputTokens),
    outputTokens: BigInt(outputTokens),
    cacheReadTokens: BigInt(cacheReadTokens),
    cacheWriteTokens: BigInt(cacheWriteTokens),
  };
}
