import { type TranscriptMessage, type TranscriptPart, tokensOf, weightOf } from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";

/** What an image of ordinary size costs with the models behind Cursor. */
const TOKENS_PER_IMAGE = 1600;

/** What a request holds, in tokens by rule of thumb. A door that sends it to a client marks it as an estimate. */
export interface PromptTokens {
  /** What this request is the first to bring, the last answer included. */
  readonly fresh: number;
  /** What an earlier request has brought before. */
  readonly repeated: number;
}

/** Everything a request brings: the system's text, the transcript, the tools with their schemas. */
export function estimateRequestTokens(request: DoorRequest): number {
  return tokensIn(weighHead(request), request.messages);
}

/** The same in two parts: a client sends its whole transcript again, up to our last answer. */
export function estimatePrompt(request: DoorRequest): PromptTokens {
  const answered = request.messages.findLastIndex(({ role }) => role === "assistant");
  const head = weighHead(request);
  const repeated = answered < 0 ? 0 : tokensIn(head, request.messages.slice(0, answered));
  return { fresh: tokensIn(head, request.messages) - repeated, repeated };
}

function weighHead({ system, tools }: DoorRequest): number {
  return weightOf(system) + tools.reduce((sum, tool) => sum + weightOf(JSON.stringify(tool)), 0);
}

function tokensIn(head: number, messages: readonly TranscriptMessage[]): number {
  const weight = messages.reduce((sum, message) => sum + weighMessage(message), head);
  return tokensOf(weight) + messages.reduce((sum, message) => sum + imagesIn(message), 0) * TOKENS_PER_IMAGE;
}

function weighMessage(message: TranscriptMessage): number {
  if (message.role !== "assistant") return message.parts.reduce((sum, part) => sum + weighPart(part), 0);
  const calls = message.calls.reduce((sum, { name, input }) => sum + weightOf(name) + weighJson(input), 0);
  return weightOf(message.text) + calls;
}

function weighPart(part: TranscriptPart): number {
  return part.kind === "text" ? weightOf(part.text) : 0;
}

function imagesIn(message: TranscriptMessage): number {
  return message.role === "assistant" ? 0 : message.parts.filter(({ kind }) => kind === "image").length;
}

function weighJson(value: unknown): number {
  return weightOf(JSON.stringify(value) ?? "");
}
