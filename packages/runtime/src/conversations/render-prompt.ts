import type { PromptImage, TranscriptMessage, TranscriptPart } from "@caret/protocol";
import { callKey } from "../calls/means-call.ts";
import { saysSomething } from "../turns/client-notes/client-notes.ts";
import { drawMark, type MarkedLines, markedLines, markedName, markRule, passableText } from "../turns/prompt-marks.ts";

export interface PromptParts {
  /** The client's system prompt, if it cannot be passed in another way. */
  readonly instructions: string;
  /** What the client's program adds to messages the session has heard. */
  readonly notes?: readonly string[];
  /** Messages the session has not heard: possibly a past it had no part in, then the new question. */
  readonly messages: readonly TranscriptMessage[];
  /** Tool names by the keys of their calls. */
  readonly toolNames: ReadonlyMap<string, string>;
  /** The agent gets the images that the user now asks about. */
  readonly attachesImages?: boolean;
}

/** Without a question, an agent would treat results as the end of its task. */
const GO_ON = "These are the results of the calls that you made. Go on with the task.";

const ATTACHED = "[an attached image]";

/**
 * The prompt of one turn. Unless it holds only the user's words, each part has a lead that carries the prompt's mark: roles are structural
 * in a transcript and must stay so.
 */
export function renderPrompt(parts: PromptParts): string {
  const { instructions, notes = [], messages, toolNames } = parts;
  const split = beginningOfNow(messages);
  const system = passableText(instructions.trim());
  const added = passableText(notes.join("\n\n"));
  const past = messages.slice(0, split).flatMap((message) => saidBy(message, { toolNames }));
  const now = messages.slice(split).flatMap((message) => saidBy(message, parts));
  if (system === "" && past.length === 0 && now.every(({ lead }) => lead === USER))
    return [...(added === "" ? [] : [added]), ...now.map(({ text }) => text)].join("\n\n");

  const mark = drawMark([system, added, ...[...past, ...now].flatMap(({ lead, text }) => [lead, text])]);
  const lines = markedLines(mark);
  // A question at the very end, outside everything else, needs no lead.
  const [question] = now;
  const isQuestion = now.length === 1 && question?.lead === USER && added === "";
  const render = ({ lead, text }: SaidPart): string => `${lines.lead(lead)}\n${text}`;
  return [
    markRule(mark),
    ...(system === "" ? [] : [`${lines.open("instructions")}\n${system}\n${lines.close("instructions")}`]),
    ...markedAsPast(past.map(render), lines),
    ...(added === "" ? [] : [`${lines.lead(ADDED)}\n${added}`]),
    ...(isQuestion ? [question?.text ?? ""] : now.map(render)),
    ...(endsWithResults(messages) ? [lines.lead(GO_ON)] : []),
  ].join("\n\n");
}

/** A speaker and their words, as they appear in a prompt. */
interface SaidPart {
  readonly lead: string;
  readonly text: string;
}

const USER = "USER:";
const ADDED = "The client adds:";

/** Not joined here, so a transcript of megabytes is copied only once. */
function markedAsPast(past: readonly string[], { open, close }: MarkedLines): readonly string[] {
  if (past.length === 0) return [];
  const opened = past.with(0, `${open("earlier_conversation")}\n${past[0]}`);
  return opened.with(-1, `${opened.at(-1)}\n${close("earlier_conversation")}`);
}

/** Whether the agent is to continue with results rather than answer a question. */
export function endsWithResults(messages: readonly TranscriptMessage[]): boolean {
  return messages.slice(beginningOfNow(messages)).some(({ role }) => role === "tool");
}

/** Results sent in a prompt lose their images: a prompt is text. */
export function hasLostImages(messages: readonly TranscriptMessage[]): boolean {
  const now = messages.slice(beginningOfNow(messages));
  return now.some((message) => message.role === "tool" && message.parts.some(({ kind }) => kind === "image"));
}

/**
 * Index of the first message that the agent is to answer. Results belong to it unless the user has spoken after them: then they are part
 * of the past, and only the question is new.
 */
function beginningOfNow(messages: readonly TranscriptMessage[]): number {
  const afterAnswer = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const afterResults = messages.findLastIndex(({ role }) => role === "tool") + 1;
  return messages.slice(afterResults).some(isSpoken) ? Math.max(afterAnswer, afterResults) : afterAnswer;
}

/** The images that the user now asks about, oldest first. */
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

/** `image`: the placeholder for one. */
export function textOf(parts: readonly TranscriptPart[], image = "[an image that is not shown here]"): string {
  return parts.map((part) => partText(part, image)).join("\n");
}

function partText(part: TranscriptPart, image: string): string {
  if (part.kind === "text") return part.text;
  return part.kind === "image" ? image : `[${part.label}, which was not passed on]`;
}

function saidBy(
  message: TranscriptMessage,
  { toolNames, attachesImages = false }: Pick<PromptParts, "toolNames" | "attachesImages">,
): readonly SaidPart[] {
  if (message.role === "user")
    return [{ lead: USER, text: passableText(textOf(message.parts, attachesImages ? ATTACHED : undefined)) }];
  if (message.role === "tool")
    return [{ lead: resultLead(message, toolNames), text: passableText(textOf(message.parts)) }];
  const calls = message.calls.map(({ callId, name, input }) => ({
    lead: `TOOL_CALL (name: ${markedName(name)}, call_id: ${markedName(callId)})`,
    text: passableText(toJson(input)),
  }));
  return message.text.trim() === "" ? calls : [{ lead: "ASSISTANT:", text: passableText(message.text) }, ...calls];
}

function resultLead(
  { callId, isError }: Extract<TranscriptMessage, { role: "tool" }>,
  toolNames: PromptParts["toolNames"],
): string {
  const name = toolNames.get(callKey(callId)) ?? "unknown";
  return `TOOL_RESULT (name: ${markedName(name)}, call_id: ${markedName(callId)}${isError ? ", failed" : ""})`;
}

/** Whether the user said something, apart from what clients put into user messages. */
export function isSpoken(message: TranscriptMessage): boolean {
  if (message.role !== "user") return false;
  return message.parts.some((part) => part.kind === "text" && saysSomething(part.text));
}

function toJson(input: unknown): string {
  return typeof input === "string" ? input : (JSON.stringify(input) ?? "");
}
