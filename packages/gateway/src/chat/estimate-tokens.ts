import { type TranscriptMessage, type TranscriptPart, tokensOf, weightOf } from "@caret/protocol";
import type { DoorRequest } from "./door-request.ts";

/** Typical cost of an image with the models behind Cursor. */
const TOKENS_PER_IMAGE = 1600;

/** A request's size in tokens, by rule of thumb. Doors mark it as an estimate when they send it. */
export interface PromptTokens {
  /** New in this request, including the last answer. */
  readonly fresh: number;
  /** Already sent by an earlier request. */
  readonly repeated: number;
}

/** Everything in a request: system text, transcript, tools with their schemas. */
export function estimateRequestTokens(request: DoorRequest): number {
  return tokensIn(weighHead(request), request.messages);
}

/** The same in two parts: a client repeats its whole transcript, up to our last answer. */
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
