import { type AgentEvent, answerParts, CaretError, summaryOf, TurnFold, type TurnSummary } from "@caret/protocol";
import { activityText } from "../activity-text.ts";
import { usageOfAnswer } from "../answer-usage.ts";
import { weightOf } from "../text-weight.ts";
import type { MessageEnd } from "./follow-turn.ts";
import { cancelledInfo, type MessageStreamOptions, type Stop, toStop } from "./stream.ts";
import { type AnthropicUsage, toAnthropicUsage } from "./usage.ts";

type Block =
  | { readonly type: "thinking"; readonly thinking: string; readonly signature: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: unknown };

export interface AnthropicMessage extends Stop {
  readonly id: string;
  readonly type: "message";
  readonly role: "assistant";
  readonly model: string;
  readonly content: readonly Block[];
  readonly usage: AnthropicUsage;
}

/**
 * The answer in one piece: thinking and activity, then the text, then the calls that wait for the client. Throws what
 * ended the turn if that was not success: an unfinished answer is never a 200.
 */
export function toMessage(
  events: readonly AgentEvent[],
  end: MessageEnd,
  { id, model, count, showActivity }: MessageStreamOptions,
): AnthropicMessage {
  assertAnswered(end);
  const fold = new TurnFold();
  for (const event of events) fold.add(event);
  const turn = summaryOf(fold.turn);
  const activity = showActivity === "none" ? "" : events.map((event) => activityText(event) ?? "").join("");
  const content = [
    ...thinkingBlocks(turn.thinking),
    ...(showActivity === "reasoning" ? thinkingBlocks([activity]) : textBlocks([activity])),
    ...textBlocks(answerParts(fold.turn)),
    ...callBlocks(turn),
  ];
  return {
    id,
    type: "message",
    role: "assistant",
    model,
    content,
    ...toStop(end),
    usage: toAnthropicUsage(usageOfAnswer(count, turn.usage, content.reduce(addWeight, 0))),
  };
}

/** Throws what ended the turn, if that was not success. */
export function assertAnswered(end: MessageEnd): void {
  if (end === "parked" || end.kind === "completed" || end.kind === "cut") return;
  throw CaretError.fromInfo(end.kind === "failed" ? end.error : cancelledInfo);
}

function thinkingBlocks(texts: readonly string[]): readonly Block[] {
  return texts.filter(isSaid).map((thinking) => ({ type: "thinking", thinking, signature: "" }));
}

function textBlocks(texts: readonly string[]): readonly Block[] {
  return texts.filter(isSaid).map((text) => ({ type: "text", text }));
}

/** Clients refuse to send back a block without text. */
function isSaid(text: string): boolean {
  return text !== "";
}

function callBlocks({ tools }: TurnSummary): readonly Block[] {
  return tools
    .filter(({ owner, status }) => owner === "client" && status === "running")
    .map(({ callId, name, input }) => ({ type: "tool_use", id: callId, name, input: input ?? {} }));
}

function addWeight(sum: number, block: Block): number {
  if (block.type === "text") return sum + weightOf(block.text);
  if (block.type === "thinking") return sum + weightOf(block.thinking);
  return sum + weightOf(block.name) + weightOf(JSON.stringify(block.input));
}
