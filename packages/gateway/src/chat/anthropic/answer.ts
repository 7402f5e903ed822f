import type { AgentEvent } from "@caret/protocol";
import { type AnswerPiece, AnswerReader } from "../answer-reader.ts";
import { usageOfAnswer } from "../answer-usage.ts";
import type { Cut } from "../stop-matcher.ts";
import { DIRECT, type MessageStreamOptions, NOT_KEPT, type Stop, toStop } from "./stream.ts";
import { toMessageUsage } from "./usage.ts";

/** Omits empty `citations`, as Anthropic's servers do: the AI SDK rejects null there. */
type TextBlock =
  | { readonly type: "thinking"; thinking: string; readonly signature: string }
  | { readonly type: "text"; text: string };

type Block =
  | TextBlock
  | {
      readonly type: "tool_use";
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
      readonly caller: typeof DIRECT;
    };

export interface AnthropicMessage extends Stop {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly Block[];
  readonly container: null;
  readonly diagnostics: null;
  readonly usage: ReturnType<typeof toMessageUsage>;
}

/** A turn's whole answer: the same blocks in the same order as the stream. */
export function toMessage(
  events: readonly AgentEvent[],
  { id, model, count, showActivity }: MessageStreamOptions,
  cut?: Cut,
): AnthropicMessage {
  const reader = new AnswerReader(showActivity);
  const content = toBlocks(reader, events);
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    ...toStop(reader.calls, cut),
    ...NOT_KEPT,
    usage: toMessageUsage(usageOfAnswer(count, reader.usage, reader.weight)),
  };
}

function toBlocks(reader: AnswerReader, events: readonly AgentEvent[]): readonly Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const piece of reader.read(events)) {
    const last = blocks.at(-1);
    if (piece.kind !== "close" && piece.kind !== "call" && isOpen && last?.type === piece.kind && !piece.fresh)
      extend(last, piece.text);
    else if (piece.kind !== "close") blocks.push(toBlock(piece));
    isOpen = piece.kind === "text" || piece.kind === "thinking";
  }
  return blocks;
}

function toBlock(piece: Exclude<AnswerPiece, { kind: "close" }>): Block {
  if (piece.kind === "call") {
    const { callId, name, input } = piece.call;
    return { type: "tool_use", id: callId, name, input: input ?? {}, caller: DIRECT };
  }
  if (piece.kind === "text") return { type: "text", text: piece.text };
  return { type: "thinking", thinking: piece.text, signature: "" };
}

function extend(block: TextBlock, text: string): void {
  if (block.type === "text") block.text += text;
  else block.thinking += text;
}
