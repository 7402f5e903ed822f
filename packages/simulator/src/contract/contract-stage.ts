import { setTimeout as sleep } from "node:timers/promises";
import { defaultPace, type Pace, splitDeltas } from "../agent/split-deltas.ts";
import type { CallAnswer, Ending, Stage, StagedCall } from "../agent/stage.ts";
import type { ModelMessage } from "../model/model.ts";
import { addUsage, noUsage, type TurnUsage } from "../output/result-event.ts";
import type { Ids } from "../process/ids.ts";
import type { ToolReply } from "./contract-input.ts";

/** Thrown by `call` when stdin has ended: the host will run the tools and come back with a new turn. */
export class HandedOver extends Error {
  override readonly name = "HandedOver";
}

export interface ContractStageOptions {
  readonly messages: readonly ModelMessage[];
  readonly emit: (type: string, data: Readonly<Record<string, unknown>>) => void;
  /** The version to greet with; empty greets with nothing. */
  readonly protocolVersion: string;
  readonly resultOf: (callId: string) => Promise<ToolReply | undefined>;
  readonly ids: Ids;
  readonly signal: AbortSignal;
}

/** The stage of a contract CLI: the host owns the tools, the stage only asks for them. */
export class ContractStage implements Stage {
  readonly messages: ModelMessage[];
  readonly #options: ContractStageOptions;
  #isOpen = false;
  #usage: TurnUsage = noUsage;

  constructor(options: ContractStageOptions) {
    this.#options = options;
    this.messages = [...options.messages];
  }

  open(): void {
    if (this.#isOpen) return;
    this.#isOpen = true;
    const { emit, protocolVersion } = this.#options;
    if (protocolVersion !== "") emit("protocol", { version: protocolVersion });
  }

  async think(text: string, pace?: Pace): Promise<void> {
    await this.#pour("thinking", text, pace);
  }

  async say(text: string, pace?: Pace): Promise<void> {
    await this.#pour("assistant_delta", text, pace);
    this.messages.push({ role: "assistant", text, calls: [] });
  }

  async call(calls: readonly StagedCall[]): Promise<readonly CallAnswer[]> {
    this.open();
    const asked = calls.map((call) => ({ call, callId: `call_${this.#options.ids.short(12)}` }));
    for (const { call, callId } of asked) {
      this.#options.emit("tool_call", { callId, name: call.name, args: call.args });
    }
    const answers = await Promise.all(asked.map(({ call, callId }) => this.#answer(call, callId)));
    this.messages.push({ role: "assistant", text: "", calls: answers.map(({ call }) => call) });
    this.messages.push(...answers.map((answer): ModelMessage => ({ role: "tool", ...answer })));
    return answers;
  }

  event({ type, ...data }: Readonly<Record<string, unknown>>): void {
    this.open();
    this.#options.emit(String(type), data);
  }

  addUsage(added: TurnUsage): void {
    this.#usage = addUsage(this.#usage, added);
  }

  async finish(ending: Ending = {}): Promise<void> {
    if (ending.isError === true) this.end("error", ending.text ?? "The turn failed");
    else this.end("stop");
  }

  /** Emits the usage and why the turn is over. */
  end(finishReason: "stop" | "tool_calls" | "cancelled" | "error", message?: string): void {
    const { emit } = this.#options;
    this.open();
    if (message !== undefined) emit("error", { code: "MODEL_ERROR", message });
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = this.#usage;
    const promptTokens = inputTokens + cacheReadTokens + cacheWriteTokens;
    emit("usage", { promptTokens, completionTokens: outputTokens });
    emit("done", { finishReason });
  }

  async #answer({ server, name, args }: StagedCall, callId: string): Promise<CallAnswer> {
    const reply = await this.#options.resultOf(callId);
    if (reply === undefined) throw new HandedOver();
    return { call: server === undefined ? { name, args } : { server, name, args }, ...reply };
  }

  async #pour(type: string, text: string, pace: Pace = defaultPace): Promise<void> {
    this.open();
    for (const content of splitDeltas(text, pace.tokensPerDelta)) {
      this.#options.emit(type, { content });
      if (pace.deltaMs > 0) await sleep(pace.deltaMs, undefined, { signal: this.#options.signal });
    }
  }
}
