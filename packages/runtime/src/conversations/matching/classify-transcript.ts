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

/** Enough to tell the lines of one session's prompts apart. */
const DIGEST_LENGTH = 10;

/** A prompt with more lines is sent again as a whole when it changes. */
const MAX_SENT = 2_000;

/** A transcript's place in the index, to be written down once a turn answers it. */
export interface TranscriptKey {
  readonly scope: string;
  readonly hash: string;
  readonly count: number;
  readonly request: string;
  readonly shape: string;
  readonly sent: readonly string[];
  /** A digest of the transcript as it was sent, what the assistant says in it included. It is the transcript's place once that was edited. */
  readonly said: string;
  /** Undefined for what is not the client's real conversation. */
  readonly scopeRecord: ScopeRecord | undefined;
  /** Scopes by which the client is known again without tools and without a name. */
  readonly marks: readonly string[];
  /** The client has a name for the conversation. */
  readonly isNamed: boolean;
  /** Set for a side call without tools: its agent gets none, nor any workspace. Says when its log is deleted. */
  readonly aside: Removal | undefined;
}

/** What a session has answered of a transcript, for comparing what the client sends as its answers. */
export interface AnsweredPart {
  /** The newest of its transcripts that this one begins with. */
  readonly record: KnownTranscript;
  readonly hash: string;
  /** A digest of as much of this transcript, what the assistant says in it included. */
  readonly older: string | undefined;
  readonly rounds: readonly SaidRound[];
}

export interface Continuation {
  readonly relation: "continuation";
  /** Absent where the client sends nothing that is to be compared. */
  readonly answered?: AnsweredPart;
  readonly sessionId: string;
  /** Where the messages begin that the session has not heard. */
  readonly newFrom: number;
  readonly heardBefore: number;
  /** What of the system prompt was not sent to the session yet. */
  readonly addedSystem: string;
  /** Client notes among the known messages that were not sent to the session yet. */
  readonly addedNotes: readonly string[];
  /** How the session stood when it was matched; absent where one process has all sessions. */
  readonly seen?: SeenSession | undefined;
}

export type TranscriptMatch = { readonly line: TranscriptKey } & (
  | { readonly relation: "joined"; readonly record: KnownTranscript }
  | Continuation
  | {
      readonly relation: "new" | "divergence" | "side-call";
      /** Of the session that has gone another way since. */
      readonly answered?: AnsweredPart;
      /** The client has changed what the session said that it would have gone on in. */
      readonly isEdited?: true;
    }
);

/**
 * What a transcript is to the sessions we know, by what was looked up of it.
 *
 * - Seen before, and its turn can be shared: `joined`.
 * - Its beginning is all that some session has heard: `continuation`. Turns that did not complete count as unheard, so
 *   that their questions are asked again.
 * - Not the client's conversation itself: `side-call`.
 * - Its beginning is something a session has gone on from, or its client has a conversation that is not this one:
 *   `divergence`. Otherwise it is `new`.
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

/** What is not the conversation itself is written down apart, so that neither ever goes on from the other. */
export function rootOf({ owner, scope, systemId, tools }: ReadQuestion, side: SideCall["kind"] | undefined): string {
  if (side === "aside") return fingerprint(["aside", scope, systemId]);
  if (side === "subagent") return fingerprint(["subagent", scope, owner, systemId]);
  return fingerprint(["conversation", scope, owner, tools.length > 0 ? "with tools" : "without tools"]);
}

interface Chains {
  /** As a conversation is known that its client has not edited. */
  readonly plain: readonly ChainLink[];
  /** As it is known from the first edit on. */
  readonly asSaid: readonly ChainLink[];
}

export function chainsOf(question: ReadQuestion, side: SideCall["kind"] | undefined): Chains {
  const root = rootOf(question, side);
  const plain = chainOf(root, question.heard);
  return { plain, asSaid: question.rounds.length === 0 ? plain : chainAsSaid(root, question.heard, question.rounds) };
}

/** A conversation goes on a few messages after what is known of it. */
const RECENT_LINKS = 50;

/** It was edited before: its session is known by all that was said in it. */
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

/** Whether a session was sent a line or a note. One that lost a secret since it was kept was sent with it. */
function isSentWith({ conversation }: ReadQuestion, sent: readonly string[] = []): (text: string) => boolean {
  const known = new Set(sent);
  const isKept = conversation !== undefined;
  return (text) => known.has(digest(text)) || (isKept && text.includes(REDACTED));
}

function sendsSystem(question: ReadQuestion, side: SideCall | undefined): boolean {
  return question.sendsSystem && side?.kind !== "aside";
}

/** What a session had been sent after so many messages. A turn that did not complete may have sent nothing. */
function sentBefore(
  record: KnownTranscript,
  view: LineageView,
  heardHash: string | undefined,
): readonly string[] | undefined {
  if (record.outcome === "completed") return record.sent;
  const before = view.get(heardHash ?? "");
  return before?.sessionId === record.sessionId ? before.sent : undefined;
}

/** What a session hears besides the messages: its system prompt, where that is part of the prompt, and client notes. */
function sentWith({ system, messages }: Transcript, sendsSystem: boolean): readonly string[] {
  const lines = sendsSystem ? linesOf(system) : [];
  const sent = new Set([...lines, ...messages.flatMap(notesIn)].map(digest));
  return [...sent].slice(0, MAX_SENT);
}

/** The lines of a system prompt that were not sent to a session yet; all of it when most of them are new. */
function unsentSystem(system: string, isSent: (line: string) => boolean): string {
  const lines = linesOf(system);
  const unsent = lines.filter((line) => !isSent(line));
  return unsent.length * 2 > lines.length ? system.trim() : unsent.join("\n");
}

/** Client notes in messages that a session has heard, which were not there when it heard them. */
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
