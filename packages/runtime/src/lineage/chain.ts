import { callKey } from "./call-key.ts";
import { fingerprint } from "./fingerprint.ts";
import type { TranscriptMessage, TranscriptPart } from "./transcript.ts";

/** The transcript up to and with one message, as a digest. */
export interface ChainLink {
  readonly hash: string;
  /** Where the message stands in the transcript. */
  readonly index: number;
}

/**
 * One link for each message of the user and of a tool. What the assistant said is left out: it is ours, and clients send
 * it back shortened, joined or trimmed.
 */
export function chainOf(root: string, messages: readonly TranscriptMessage[]): readonly ChainLink[] {
  const links: ChainLink[] = [];
  let hash = root;
  for (const [index, message] of messages.entries()) {
    if (message.role === "assistant") continue;
    hash = fingerprint([hash, ...wordsOf(message)]);
    links.push({ hash, index });
  }
  return links;
}

export function firstQuestion(messages: readonly TranscriptMessage[]): readonly string[] {
  const first = messages.find(({ role }) => role === "user");
  return first === undefined ? [] : wordsOf(first);
}

function wordsOf(message: TranscriptMessage): readonly string[] {
  if (message.role === "assistant") return [];
  const parts = message.parts.flatMap(partWords);
  return message.role === "tool" ? ["tool", callKey(message.callId), ...parts] : ["user", ...parts];
}

/** Space around a text comes and goes between two renderings of the same message. */
function partWords(part: TranscriptPart): readonly string[] {
  if (part.kind === "text") return ["text", part.text.trim()];
  return part.kind === "image" ? ["image", part.mediaType, part.data] : ["image-url", part.url];
}
