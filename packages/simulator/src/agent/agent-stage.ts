import { setTimeout as sleep } from "node:timers/promises";
import type { ModelCall, ModelMessage } from "../model/model.ts";
import { addUsage, noUsage, type TurnUsage } from "../output/result-event.ts";
import type { TurnOutput, TurnStart } from "../output/turn-output.ts";
import type { ByteWriter } from "../process/byte-writer.ts";
import type { Ids } from "../process/ids.ts";
import type { PreparedCall } from "../tools/tool-run.ts";
import { defaultPace, type Pace, splitDeltas } from "./split-deltas.ts";
import type { CallAnswer, Ending, Stage, StagedCall } from "./stage.ts";
import { StageRecord, toModelCall } from "./stage-record.ts";
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
  readonly prepare: (call: ModelCall, toolCallId: string) => Promise<PreparedCall>;
  /** Everything before this turn's first answer, the prompt included. */
  readonly history: readonly ModelMessage[];
  /** Waits for what the turn started and left running, and gives its events. */
  readonly settle: () => Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Called whenever something has been said or done, so that a killed turn can still be resumed. */
  readonly remember: (messages: readonly ModelMessage[]) => void;
}

interface ReadyCall {
  readonly call: StagedCall;
  readonly callId: string;
  readonly modelCallId: string;
  readonly prepared: PreparedCall;
}

/** The stage of the real CLI: the agent runs its own tools and an output format shows them. */
export class AgentStage implements Stage {
  readonly #record: StageRecord;
  readonly #options: AgentStageOptions;
  readonly #nextReply: () => ReplyIds;
  #isOpen = false;
  #usage: TurnUsage | undefined;

  get messages(): readonly ModelMessage[] {
    return this.#record.messages;
  }

  constructor(options: AgentStageOptions) {
    this.#options = options;
    this.#record = new StageRecord(options.history, options.remember);
    this.#nextReply = createWireIds(options.ids, options.requestId);
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    this.#options.output.start(this.#options.start);
    this.#options.writer.flush();
  }

  async think(text: string, pace?: Pace): Promise<void> {
    const { output, writer } = this.#options;
    this.open();
    await this.#pour(text, pace, output.thinkingDelta);
    output.thinkingEnd();
    writer.flush();
  }

  async say(text: string, pace?: Pace): Promise<void> {
    this.open();
    this.#record.say(text);
    await this.#pour(text, pace, this.#options.output.textDelta);
  }

  async call(calls: readonly StagedCall[]): Promise<readonly CallAnswer[]> {
    this.open();
    this.#record.endSpeech(calls.map(toModelCall));
    const { modelCallId, nextCallId } = this.#nextReply();
    const ready: ReadyCall[] = [];
    for (const call of calls) {
      const callId = nextCallId();
      ready.push({ call, callId, modelCallId, prepared: await this.#options.prepare(call, callId) });
    }
    const answers = await Promise.all(ready.map((one) => this.#act(one)));
    this.#record.add(answers.map((answer): ModelMessage => ({ role: "tool", ...answer })));
    return answers;
  }

  event(event: Readonly<Record<string, unknown>>): void {
    this.open();
    this.#options.output.event(event);
    this.#options.writer.flush();
  }

  addUsage(added: TurnUsage): void {
    this.#usage = addUsage(this.#usage ?? noUsage, added);
  }

  async finish(ending: Ending = {}): Promise<void> {
    const { output, writer, requestId } = this.#options;
    this.open();
    for (const event of await this.#options.settle()) this.event(event);
    this.#record.endSpeech();
    const isError = ending.isError ?? false;
    const usage = ending.usage ?? this.#usage ?? this.#record.estimate();
    output.result({
      subtype: ending.subtype ?? (isError ? "error" : "success"),
      isError,
      requestId,
      ...(ending.text === undefined ? {} : { text: ending.text }),
      ...(usage === false ? {} : { usage }),
    });
    await writer.drained();
  }

  async #pour(text: string, pace: Pace | undefined, show: (delta: string) => void): Promise<void> {
    const { writer, signal } = this.#options;
    const { tokensPerDelta, deltaMs } = pace ?? this.#options.pace ?? defaultPace;
    for (const delta of splitDeltas(text, tokensPerDelta)) {
      show(delta);
      if (writer.isFull) await writer.drained();
      if (deltaMs <= 0) continue;
      writer.flush();
      await sleep(deltaMs, undefined, { signal });
    }
    writer.flush();
  }

  /** Everything up to the call's own work happens at once, so parallel calls all start before any completes. */
  async #act({ call, callId, modelCallId, prepared }: ReadyCall): Promise<CallAnswer> {
    const { output, writer, now, signal } = this.#options;
    const wire = { callId, modelCallId, prepared, startedAt: now() };
    if (prepared.query?.when === "before-started") output.query(prepared.query);
    if (call.started !== false) output.toolStarted(wire);
    if (prepared.query?.when === "after-started") output.query(prepared.query);
    writer.flush();
    const outcome = await prepared.run(signal);
    signal.throwIfAborted();
    for (let shown = 0; shown < (call.completed ?? 1); shown += 1) output.toolCompleted(wire, outcome);
    writer.flush();
    return { call: toModelCall(call), ok: outcome.ok, output: outcome.output };
  }
}
