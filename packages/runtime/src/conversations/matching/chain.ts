import type { TranscriptMessage, TranscriptPart } from "@caret/protocol";
import { fingerprint } from "../../calls/fingerprint.ts";
import { callKey } from "../../calls/means-call.ts";
import { type SplitText, splitNotes } from "../../turns/client-notes/client-notes.ts";
import type { TranscriptKey } from "./classify-transcript.ts";
import type { LineageRecord, LineageStore, ScopeRecord } from "./lineage-store.ts";

/** The transcript up to and with one message, as a digest. */
export interface ChainLink {
  readonly hash: string;
  /** Where the message stands in the transcript. */
  readonly index: number;
}

/** A message of the user or of a tool, as far as it tells which conversation it belongs to. */
export interface HeardMessage {
  /** Where it stands in the transcript. */
  readonly index: number;
  readonly role: "user" | "tool";
  /** Of what it says, without client notes; so megabytes are hashed once. */
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
 * The messages that a conversation is known by. What the assistant said is left out: it is ours, and clients send it back
 * shortened, joined or trimmed; whether they have changed it is seen by `isEdited`. So are messages that hold nothing but client notes.
 */
export function heardMessages(messages: readonly TranscriptMessage[]): readonly HeardMessage[] {
  const spoken = toHeard(messages, spokenText);
  // Where nobody says anything, the notes are all there is to know the conversation by.
  return spoken.length > 0 ? spoken : toHeard(messages, wholeText);
}

/** What a message is known by, to be kept beside one that is kept without its secrets; undefined for the assistant's. */
export function knownAs(message: TranscriptMessage): string | undefined {
  return heardMessages([message])[0]?.digest;
}

/** What the user says in a message, without client notes; empty when it holds nothing else. */
export function spokenText(parts: readonly TranscriptPart[]): string {
  return splitOnce(parts).spoken;
}

/** The client notes of a message. */
export function notesIn(message: TranscriptMessage): readonly string[] {
  return message.role === "user" ? splitOnce(message.parts).notes : [];
}

/** What a message says is asked for many times while it is looked for, and it may be megabytes. */
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

/** Write down which turn answers a transcript, as soon as it runs. */
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
