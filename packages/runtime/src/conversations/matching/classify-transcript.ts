import type { TranscriptMessage } from "@caret/protocol";
import { fingerprint } from "../../calls/fingerprint.ts";
import { REDACTED } from "../../redaction/redacted.ts";
import { type ChainLink, chainOf, notesIn } from "./chain.ts";
import { findOrigin, type Origin, type StateOf } from "./find-origin.ts";
import type { KnownTranscript, LineageView, ScopeRecord, SeenSession } from "./lineage-store.ts";
import type { ReadQuestion } from "./read-question.ts";
import { chainAsSaid, type SaidRound } from "./said-rounds.ts";
import { bearsMark, marksOf } from "./shown-marks.ts";
import { type Removal, type SideCall, sideCallOf } from "./side-call.ts";
import type { Transcript } from "./transcript.ts";

/** Long enough to tell the lines of one session's prompts apart. */
const DIGEST_LENGTH = 10;

/** A prompt with more lines is sent again whole when it changes. */
const MAX_SENT = 2_000;

/** A transcript's index entry, recorded once a turn answers it. */
export interface TranscriptKey {
  readonly scope: string;
  readonly hash: string;
  readonly count: number;
  readonly request: string;
  readonly shape: string;
  readonly sent: readonly string[];
  /** A digest of the transcript as sent, including the assistant's words. Replaces `hash` once the transcript was edited. */
  readonly said: string;
  /** Undefined unless this is the client's real conversation. */
  readonly scopeRecord: ScopeRecord | undefined;
  /** Scopes that identify the client later, without tools and without a name. */
  readonly marks: readonly string[];
  /** The client has a name for the conversation. */
  readonly isNamed: boolean;
  /** Set for a side call without tools, whose agent gets neither tools nor a workspace. Says when its log is deleted. */
  readonly aside: Removal | undefined;
}

/** The part of a transcript that a session has answered, to compare with the answers the client sends. */
export interface AnsweredPart {
  /** The newest of the session's transcripts that is a prefix of this one. */
  readonly record: KnownTranscript;
  readonly hash: string;
  /** A digest of the same prefix of this transcript, including the assistant's words. */
  readonly older: string | undefined;
  readonly rounds: readonly SaidRound[];
}

export interface Continuation {
  readonly relation: "continuation";
  /** Omitted if the client sends nothing to compare. */
  readonly answered?: AnsweredPart;
  readonly sessionId: string;
  /** Index of the first message that the session has not heard. */
  readonly newFrom: number;
  readonly heardBefore: number;
  /** The part of the system prompt not yet sent to the session. */
  readonly addedSystem: string;
  /** Client notes in known messages that were not yet sent to the session. */
  readonly addedNotes: readonly string[];
  /** The session's state when it was matched; omitted if one process has all sessions. */
  readonly seen?: SeenSession | undefined;
}

export type TranscriptMatch = { readonly line: TranscriptKey } & (
  | { readonly relation: "joined"; readonly record: KnownTranscript }
  | Continuation
  | {
      readonly relation: "new" | "divergence" | "side-call";
      /** For a session that has diverged since. */
      readonly answered?: AnsweredPart;
      /** The client edited what the session said in the part it would have continued. */
      readonly isEdited?: true;
    }
);

/**
 * Relates a transcript to the known sessions, given what was looked up about it.
 *
 * - Seen before, and its turn can be shared: `joined`.
 * - Its beginning is all that some session has heard: `continuation`. Turns that did not complete count as unheard, so their questions are
 *   asked again.
 * - Not the client's own conversation: `side-call`.
 * - A session has continued differently from its beginning, or its client has another conversation: `divergence`. Otherwise it is `new`.
 */
export function classifyTranscript(question: ReadQuestion, view: LineageView, stateOf: StateOf): TranscriptMatch {
  const { sessionKey, scope, request, shape } = question;
  const known = view.getScope(scope);
  const side = sideCallOf({ ...question, bearsMark: bearsMark(question, view) }, known);
  const { plain, asSaid } = chainsOf(question, side?.kind);
  const chain = isBranch(plain, asSaid, view) ? asSaid : plain;
  const isNamed = sessionKey !== undefined;
  const line = lineOf(question, { chain, asSaid }, known, side);
  const origin = findOrigin(chain, { view, stateOf, isNamed, request, shape });
  if (origin?.kind === "joined") return { line, relation: "joined", record: origin.record };
  const answered = origin && { answered: answeredPart(question, { chain, asSaid }, origin) };
  if (origin?.kind === "continuation")
    return { line, ...answered, ...continuationOf(question, chain, origin, view, side) };
  if (side !== undefined) return { line, relation: "side-call" };
  const isNew = known === undefined || (!isNamed && chain.length === 1);
  return { line, ...answered, relation: isNew && origin === undefined ? "new" : "divergence" };
}

/** Side calls are recorded separately, so neither they nor the conversation ever continue from the other. */
export function rootOf({ owner, scope, systemId, tools }: ReadQuestion, side: SideCall["kind"] | undefined): string {
  if (side === "aside") return fingerprint(["aside", scope, systemId]);
  if (side === "subagent") return fingerprint(["subagent", scope, owner, systemId]);
  return fingerprint(["conversation", scope, owner, tools.length > 0 ? "with tools" : "without tools"]);
}

interface Chains {
  /** The chain of a conversation that its client has not edited. */
  readonly plain: readonly ChainLink[];
  /** The chain used from the first edit on. */
  readonly asSaid: readonly ChainLink[];
}

export function chainsOf(question: ReadQuestion, side: SideCall["kind"] | undefined): Chains {
  const root = rootOf(question, side);
  const plain = chainOf(root, question.heard);
  return { plain, asSaid: question.rounds.length === 0 ? plain : chainAsSaid(root, question.heard, question.rounds) };
}

/** A conversation continues within a few messages of its known part. */
const RECENT_LINKS = 50;

/** Edited before: its session is identified by everything said in it. */
function isBranch(plain: readonly ChainLink[], asSaid: readonly ChainLink[], view: LineageView): boolean {
  if (plain === asSaid) return false;
  const recent = asSaid.slice(-RECENT_LINKS);
  const from = asSaid.length - recent.length;
  return recent.some(({ hash }, index) => hash !== plain[from + index]?.hash && view.get(hash) !== undefined);
}

function answeredPart(
  { rounds }: ReadQuestion,
  { chain, asSaid }: { readonly chain: readonly ChainLink[]; readonly asSaid: readonly ChainLink[] },
  { record }: Origin,
): AnsweredPart {
  const at = record.count - 1;
  return { record, hash: chain[at]?.hash ?? "", older: asSaid[at]?.hash, rounds };
}

function lineOf(
  question: ReadQuestion,
  { chain, asSaid }: { readonly chain: readonly ChainLink[]; readonly asSaid: readonly ChainLink[] },
  known: ScopeRecord | undefined,
  side: SideCall | undefined,
): TranscriptKey {
  const { scope, request, shape, sessionKey, systemId, tools } = question;
  const hasShownTools = tools.length > 0 || known?.hasShownTools === true;
  return {
    scope,
    hash: chain.at(-1)?.hash ?? scope,
    count: chain.length,
    request,
    shape,
    sent: sentWith(question, sendsSystem(question, side)),
    said: asSaid.at(-1)?.hash ?? scope,
    scopeRecord: side === undefined ? { systemId, toolCount: tools.length, hasShownTools } : undefined,
    marks: marksOf(question),
    isNamed: sessionKey !== undefined,
    aside: side?.kind === "aside" ? side.removal : undefined,
  };
}

function continuationOf(
  question: ReadQuestion,
  chain: readonly ChainLink[],
  origin: Extract<Origin, { kind: "continuation" }>,
  view: LineageView,
  side: SideCall | undefined,
): Omit<Continuation, "answered"> {
  const { messages, system } = question;
  const { heardBefore, record } = origin;
  const newFrom = heardBefore === 0 ? 0 : (chain[heardBefore]?.index ?? messages.length);
  const sent = sentBefore(record, view, chain[heardBefore - 1]?.hash);
  return {
    relation: "continuation",
    sessionId: record.sessionId,
    newFrom,
    heardBefore,
    addedSystem: sendsSystem(question, side) ? unsentSystem(system, isSentWith(question, sent)) : "",
    addedNotes: sent === undefined ? [] : unsentNotes(messages.slice(0, newFrom), isSentWith(question, sent)),
    ...(record.session === undefined ? {} : { seen: record.session }),
  };
}

/** Tests whether a session was sent a line or note. One that has since been redacted counts as sent. */
function isSentWith({ conversation }: ReadQuestion, sent: readonly string[] = []): (text: string) => boolean {
  const known = new Set(sent);
  const isKept = conversation !== undefined;
  return (text) => known.has(digest(text)) || (isKept && text.includes(REDACTED));
}

function sendsSystem(question: ReadQuestion, side: SideCall | undefined): boolean {
  return question.sendsSystem && side?.kind !== "aside";
}

/** What a session had been sent after this many messages. A turn that did not complete may have sent nothing. */
function sentBefore(
  record: KnownTranscript,
  view: LineageView,
  heardHash: string | undefined,
): readonly string[] | undefined {
  if (record.outcome === "completed") return record.sent;
  const before = view.get(heardHash ?? "");
  return before?.sessionId === record.sessionId ? before.sent : undefined;
}

/** What a session gets apart from messages: its system prompt, if that is part of the prompt, and client notes. */
function sentWith({ system, messages }: Transcript, sendsSystem: boolean): readonly string[] {
  const lines = sendsSystem ? linesOf(system) : [];
  const sent = new Set([...lines, ...messages.flatMap(notesIn)].map(digest));
  return [...sent].slice(0, MAX_SENT);
}

/** The lines of a system prompt not yet sent to a session; all of it if most are new. */
function unsentSystem(system: string, isSent: (line: string) => boolean): string {
  const lines = linesOf(system);
  const unsent = lines.filter((line) => !isSent(line));
  return unsent.length * 2 > lines.length ? system.trim() : unsent.join("\n");
}

/** Client notes added to messages after the session had heard them. */
function unsentNotes(heard: readonly TranscriptMessage[], isSent: (note: string) => boolean): readonly string[] {
  return [...new Set(heard.flatMap(notesIn))].filter((note) => !isSent(note));
}

function linesOf(text: string): readonly string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function digest(text: string): string {
  return fingerprint([text]).slice(0, DIGEST_LENGTH);
}
