import type { localCallFields } from "./local-tools.ts";

/** What a response consists of, as it goes over the wire and as it is kept for later references. */
export type OutputItem = MessageItem | ReasoningItem | CallItem;

/** A call that the client is to run. */
export type CallItem = FunctionCallItem | CustomCallItem | LocalCallItem;

type ItemStatus = "in_progress" | "completed" | "incomplete";

export interface MessageItem {
  readonly id: string;
  readonly type: "message";
  readonly status: ItemStatus;
  readonly role: "assistant";
  readonly content: readonly OutputText[];
}

export interface OutputText {
  readonly type: "output_text";
  readonly text: string;
  readonly annotations: readonly [];
  readonly logprobs: readonly [];
}

export interface ReasoningItem {
  readonly id: string;
  readonly type: "reasoning";
  readonly summary: readonly SummaryText[];
}

export interface SummaryText {
  readonly type: "summary_text";
  readonly text: string;
}

export interface FunctionCallItem {
  readonly id: string;
  readonly type: "function_call";
  readonly status: ItemStatus;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  /** Echoed from the tool's offer: Codex finds the tool by both. */
  readonly namespace?: string;
}

/** A call of a tool whose input is one text. */
export interface CustomCallItem extends Omit<FunctionCallItem, "type" | "arguments"> {
  readonly type: "custom_tool_call";
  readonly input: string;
}

/** A call of one of the tools that OpenAI defines and the client runs. */
export type LocalCallItem = {
  readonly id: string;
  readonly status: ItemStatus;
  readonly call_id: string;
} & ReturnType<typeof localCallFields>;

export function outputText(text: string): OutputText {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

export function summaryText(text: string): SummaryText {
  return { type: "summary_text", text };
}
