import type { AgentEvent } from "@caret/protocol";
import { AnswerReader } from "../answer-reader.ts";
import type { Cut } from "../stop-matcher.ts";
import { BLOCK_GAP, type ChatCall, type ChatStreamOptions, finishReason, toChatCall } from "./stream.ts";
import { type ChatUsage, chatUsageOf } from "./usage.ts";

export interface ChatCompletion {
  readonly id: string;
  readonly object: "chat.completion";
  readonly created: number;
  readonly model: string;
  readonly service_tier: "default";
  readonly choices: readonly [ChatChoice];
  readonly usage?: ChatUsage;
}

interface ChatChoice {
  readonly index: 0;
  readonly message: {
    readonly role: "assistant";
    readonly content: string | null;
    readonly refusal: null;
    readonly annotations: readonly [];
    readonly reasoning_content?: string;
    readonly tool_calls?: readonly ChatCall[];
  };
  readonly logprobs: null;
  readonly finish_reason: ReturnType<typeof finishReason>;
}

/** A turn's whole answer: the same text in the same order as the stream. */
export function toCompletion(
  events: readonly AgentEvent[],
  options: Omit<ChatStreamOptions, "includeUsage">,
  cut?: Cut,
): ChatCompletion {
  const { id, created, model, count } = options;
  const { said, calls, reader } = gather(events, options);
  const usage = chatUsageOf(reader, count, { kind: "finished", cut });
  const message = {
    role: "assistant",
    content: said.text === "" && calls.length > 0 ? null : said.text,
    refusal: null,
    annotations: [],
    ...(said.thinking !== "" && { reasoning_content: said.thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  } as const;
  const finish_reason = finishReason(calls.length, cut);
  return {
    id,
    object: "chat.completion",
    created,
    model,
    service_tier: "default",
    choices: [{ index: 0, message, logprobs: null, finish_reason }],
    ...(usage !== undefined && { usage }),
  };
}

function gather(
  events: readonly AgentEvent[],
  { showActivity, tools }: Pick<ChatStreamOptions, "showActivity" | "tools">,
) {
  const reader = new AnswerReader(showActivity);
  const said = { text: "", thinking: "" };
  const calls: ChatCall[] = [];
  for (const piece of reader.read(events)) {
    if (piece.kind === "close") continue;
    if (piece.kind === "call") calls.push(toChatCall(piece.call, tools));
    else said[piece.kind] += piece.fresh && said[piece.kind] !== "" ? BLOCK_GAP + piece.text : piece.text;
  }
  return { said, calls, reader };
}
