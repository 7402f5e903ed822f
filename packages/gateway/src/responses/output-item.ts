/** What a response consists of, as it goes over the wire and as it is kept for later references. */
export type OutputItem = MessageItem | ReasoningItem | FunctionCallItem;

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

export function outputText(text: string): OutputText {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

export function summaryText(text: string): SummaryText {
  return { type: "summary_text", text };
}
