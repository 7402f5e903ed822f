import type { TranscriptMessage, TranscriptPart } from "@caret/protocol";
import { fingerprint } from "../../calls/fingerprint.ts";
import { callKey } from "../../calls/means-call.ts";
import { type SplitText, splitNotes } from "../../turns/client-notes/client-notes.ts";
import type { TranscriptKey } from "./classify-transcript.ts";
import type { LineageRecord, LineageStore, ScopeRecord } from "./lineage-store.ts";

/** A digest of the transcript up to and including one message. */
export interface ChainLink {
  readonly hash: string;
  /** Index of the message in the transcript. */
  readonly index: number;
}

/** A message of the user or of a tool, reduced to what identifies its conversation. */
export interface HeardMessage {
  /** Index in the transcript. */
  readonly index: number;
  readonly role: "user" | "tool";
  /** Digest of its words without client notes; computed once, as they can be megabytes. */
  readonly digest: string;
}

/** One link for each message that says something. */
export function chainOf(root: string, heard: readonly HeardMessage[]): readonly ChainLink[] {
  let last = root;
  return heard.map(({ index, digest }) => {
    last = fingerprint([last, digest]);
    return { hash: last, index };
  });
}

/**
 * The messages that identify a conversation. The assistant's are left out: they are ours, and clients send them back shortened, joined or
 * trimmed; `isEdited` detects changes. So are messages that consist of client notes only.
 */
export function heardMessages(messages: readonly TranscriptMessage[]): readonly HeardMessage[] {
  const spoken = toHeard(messages, spokenText);
  // If no message says anything, only the notes can identify the conversation.
  return spoken.length > 0 ? spoken : toHeard(messages, wholeText);
}

/** The digest that identifies a message, to be stored with its redacted form; undefined for the assistant's. */
export function knownAs(message: TranscriptMessage): string | undefined {
  return heardMessages([message])[0]?.digest;
}

/** The user's words in a message, without client notes; empty if there are none. */
export function spokenText(parts: readonly TranscriptPart[]): string {
  return splitOnce(parts).spoken;
}

/** The client notes of a message. */
export function notesIn(message: TranscriptMessage): readonly string[] {
  return message.role === "user" ? splitOnce(message.parts).notes : [];
}

/** A message is split many times during a lookup, and can be megabytes long. */
const splits = new WeakMap<readonly TranscriptPart[], SplitText>();

function splitOnce(parts: readonly TranscriptPart[]): SplitText {
  const known = splits.get(parts);
  if (known !== undefined) return known;
  const split = splitNotes(textOfParts(parts));
  splits.set(parts, split);
  return split;
}

function toHeard(
  messages: readonly TranscriptMessage[],
  textOf: (parts: readonly TranscriptPart[]) => string,
): readonly HeardMessage[] {
  return messages.flatMap((message, index): readonly HeardMessage[] => {
    if (message.role === "assistant") return [];
    const { role } = message;
    const images = message.parts.flatMap(imageWords);
    const text = role === "tool" ? textOfParts(message.parts).trim() : textOf(message.parts);
    if (role === "user" && text === "" && images.length === 0) return [];
    const from = role === "tool" ? [callKey(message.callId)] : [];
    return [{ index, role, digest: message.knownAs ?? fingerprint([role, ...from, text, ...images]) }];
  });
}

function wholeText(parts: readonly TranscriptPart[]): string {
  return textOfParts(parts).trim() || "(empty)";
}

function textOfParts(parts: readonly TranscriptPart[]): string {
  return parts.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join("\n");
}

function imageWords(part: TranscriptPart): readonly string[] {
  if (part.kind === "text") return [];
  return part.kind === "image" ? ["image", part.mediaType, part.data] : ["unpassable", part.digest];
}

/** Records which turn answers a transcript, as soon as it runs. */
export function rememberTurn(
  store: Pick<LineageStore, "remember">,
  { scope, hash, count, request, shape, sent, said, scopeRecord, marks }: TranscriptKey,
  turn: Pick<LineageRecord, "sessionId" | "turnId" | "heardBefore" | "at">,
  inLog: Promise<unknown>,
): Promise<void> {
  const scopes = new Map<string, ScopeRecord>();
  if (scopeRecord !== undefined) scopes.set(scope, scopeRecord);
  for (const mark of marks) scopes.set(mark, { systemId: "", toolCount: 0, hasShownTools: true });
  return store.remember({ scope, hash, record: { ...turn, count, request, shape, sent, said }, scopes, inLog });
}
