import type { PromptImage, TranscriptMessage, TranscriptPart } from "@caret/protocol";
import { saysSomething } from "./matching/client-notes.ts";
import { callKey } from "./matching/transcript.ts";

export interface PromptParts {
  /** What the client's system prompt says, where it cannot be given in another way. */
  readonly instructions: string;
  /** What the session has not heard: perhaps a past that it has no part in, then what is asked now. */
  readonly messages: readonly TranscriptMessage[];
  /** The names of the tools by the keys of their calls. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** The agent is given the images that the user asks about now. */
  readonly attachesImages?: boolean;
}

/** An agent that is given results without a question would take them for the end of its task. */
const GO_ON = "These are the results of the calls that you made. Go on with the task.";

const ATTACHED = "[an attached image]";

/** The prompt of one turn, each part of it clearly marked as what it is. */
export function renderPrompt(parts: PromptParts): string {
  const { instructions, messages, toolNames } = parts;
  const split = beginningOfNow(messages);
  const past = messages.slice(0, split).flatMap((message) => renderPast(message, toolNames));
  const now = messages.slice(split);
  return [
    ...(instructions.trim() === "" ? [] : [`<instructions>\n${instructions.trim()}\n</instructions>`]),
    ...markedAsPast(past),
    ...now.map((message) => renderNow(message, parts)),
    ...(endsWithResults(messages) ? [GO_ON] : []),
  ].join("\n\n");
}

/** Not joined here: a transcript of megabytes is copied once. */
function markedAsPast(past: readonly string[]): readonly string[] {
  if (past.length === 0) return [];
  const opened = past.with(0, `<earlier_conversation>\n${past[0]}`);
  return opened.with(-1, `${opened.at(-1)}\n</earlier_conversation>`);
}

/** Is the agent to go on with results, rather than to answer a question? */
export function endsWithResults(messages: readonly TranscriptMessage[]): boolean {
  return messages.slice(beginningOfNow(messages)).some(({ role }) => role === "tool");
}

/**
 * Where that begins which the agent is to answer. Results are a part of it unless the user has said something after them:
 * then they belong to what the user has gone on from, and only the question is new.
 */
function beginningOfNow(messages: readonly TranscriptMessage[]): number {
  const afterAnswer = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const afterResults = messages.findLastIndex(({ role }) => role === "tool") + 1;
  return messages.slice(afterResults).some(isSpoken) ? Math.max(afterAnswer, afterResults) : afterAnswer;
}

/** The images that the user asks about now, oldest first. */
export function imagesAskedAbout(messages: readonly TranscriptMessage[]): readonly PromptImage[] {
  const asked = messages.slice(beginningOfNow(messages)).filter(({ role }) => role === "user");
  return asked.flatMap((message) =>
    message.role === "assistant"
      ? []
      : message.parts.flatMap((part) =>
          part.kind === "image" ? [{ mediaType: part.mediaType, base64: part.data }] : [],
        ),
  );
}

export function toolNamesOf(messages: readonly TranscriptMessage[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  return new Map(calls.map(({ callId, name }) => [callKey(callId), name]));
}

export function textOf(parts: readonly TranscriptPart[]): string {
  return parts.map(partText).join("\n");
}

function partText(part: TranscriptPart): string {
  if (part.kind === "text") return part.text;
  return part.kind === "image" ? "[an image that is not shown here]" : `[${part.label}, which was not passed on]`;
}

function renderPast(message: TranscriptMessage, toolNames: PromptParts["toolNames"]): readonly string[] {
  if (message.role === "tool") return [renderNow(message, { toolNames })];
  if (message.role === "user") return [`USER:\n${textOf(message.parts)}`];
  const calls = message.calls.map(
    ({ callId, name, input }) => `TOOL_CALL (name: ${name}, call_id: ${callId})\n${toJson(input)}`,
  );
  return message.text.trim() === "" ? calls : [`ASSISTANT:\n${message.text}`, ...calls];
}

function renderNow(
  message: TranscriptMessage,
  { toolNames, attachesImages = false }: Pick<PromptParts, "toolNames" | "attachesImages">,
): string {
  if (message.role === "assistant") return message.text;
  if (message.role === "user")
    return message.parts
      .map((part) => (part.kind === "image" && attachesImages ? ATTACHED : partText(part)))
      .join("\n");
  const name = toolNames.get(callKey(message.callId)) ?? "unknown";
  const failed = message.isError ? ", failed" : "";
  return `TOOL_RESULT (name: ${name}, call_id: ${message.callId}${failed})\n${textOf(message.parts)}`;
}

/** The user has said something; what clients put into the user's messages does not count. */
export function isSpoken(message: TranscriptMessage): boolean {
  if (message.role !== "user") return false;
  return message.parts.some((part) => part.kind === "text" && saysSomething(part.text));
}

function toJson(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "");
}
