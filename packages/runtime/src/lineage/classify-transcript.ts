import { asksForChores } from "./asks-for-chores.ts";
import { type ChainLink, chainOf, firstQuestion } from "./chain.ts";
import { fingerprint } from "./fingerprint.ts";
import type { LineageRecord, LineageStore, ScopeRecord } from "./lineage-store.ts";
import type { Transcript } from "./transcript.ts";

export interface LineageQuestion extends Transcript {
  /** Who asks, where it is to work, with whose tools: those who differ in any of it never share a session. */
  readonly place: readonly string[];
  /** The client's own name for the conversation. Without one it is known by its system prompt and first question. */
  readonly sessionKey: string | undefined;
}

/** A transcript's place in the index, to be written down once a turn answers it. */
export interface Line {
  readonly scope: string;
  readonly hash: string;
  readonly count: number;
  /** Undefined for what is not the client's real conversation. */
  readonly scopeRecord: ScopeRecord | undefined;
  /** The client has a name for the conversation. */
  readonly isNamed: boolean;
}

export type Verdict = { readonly line: Line } & (
  | { readonly relation: "joined"; readonly record: LineageRecord }
  | {
      readonly relation: "continuation";
      readonly sessionId: string;
      /** Where the transcript goes on after what the session has heard, as a rule with its own answer. */
      readonly newFrom: number;
      readonly heardBefore: number;
      /** What was added to the system prompt since the session's last turn. */
      readonly addedSystem: string;
    }
  | { readonly relation: "new" | "divergence" }
  /** Not `ephemeral`: it has tools and may go on, so its session is kept like any other. */
  | { readonly relation: "side-call"; readonly ephemeral: boolean }
);

/** `joinable`: whoever asks the same again may share the turn. `running`: it belongs to someone who still listens. */
export type TurnState = "joinable" | "running" | "over";

/** The state of the turn that answered a transcript, for whoever sends that transcript again; by its digest. */
export type StateOf = (record: LineageRecord, hash: string) => TurnState;

/**
 * What a transcript is to the sessions we know. Pure but for reading the store.
 *
 * - Seen before, and its turn can be shared: `joined`.
 * - Its beginning is all that some session has heard: `continuation`. Turns that did not complete count as unheard, so
 *   that their questions are asked again.
 * - A chore, or a call with fewer tools than the conversation it belongs to: `side-call`.
 * - Its beginning is something a session has gone on from, or its client has a conversation that is not this one:
 *   `divergence`. Otherwise it is `new`.
 */
export function classifyTranscript(question: LineageQuestion, store: LineageStore, stateOf: StateOf): Verdict {
  const scope = scopeOf(question);
  const known = store.getScope(scope);
  const system = compareSystem(question.system, known);
  const side = sideCall(question, known, system.id);
  const chain = chainOf(rootOf(question, scope, system.id, side), question.messages);
  const scopeRecord = side === undefined ? toScopeRecord(question, system) : undefined;
  const isNamed = question.sessionKey !== undefined;
  const line: Line = { scope, hash: chain.at(-1)?.hash ?? scope, count: chain.length, scopeRecord, isNamed };
  const origin = findOrigin(chain, { store, stateOf, isNamed });
  if (origin?.kind === "joined") return { line, relation: "joined", record: origin.record };
  if (origin?.kind === "continuation" && side?.ephemeral !== true) {
    const { sessionId, heardBefore } = origin;
    const newFrom = (chain[heardBefore - 1]?.index ?? -1) + 1;
    return { line, relation: "continuation", sessionId, newFrom, heardBefore, addedSystem: system.added };
  }
  if (side !== undefined) return { line, relation: "side-call", ...side };
  const isNew = known === undefined || (!isNamed && chain.length === 1);
  return { line, relation: isNew && origin === undefined ? "new" : "divergence" };
}

export function scopeOf({ place, sessionKey, system, messages }: LineageQuestion): string {
  if (sessionKey !== undefined) return fingerprint(["key", ...place, sessionKey]);
  return fingerprint(["question", ...place, system, ...firstQuestion(messages)]);
}

/** Chores are written down apart, so that no conversation can ever go on from one, nor they from it. */
function rootOf({ tools }: Transcript, scope: string, systemId: string, side: SideCall | undefined): string {
  const names = tools.map(({ namespace = "", name }) => fingerprint([namespace, name])).toSorted();
  return fingerprint([side?.ephemeral === true ? "chore" : "conversation", scope, systemId, ...names]);
}

interface ComparedSystem {
  readonly id: string;
  readonly hash: string;
  readonly added: string;
}

/** Some clients put further system messages between the others: a prompt that only grew is still the same one. */
function compareSystem(system: string, known: ScopeRecord | undefined): ComparedSystem {
  const hash = fingerprint([system]);
  const added = addedTo(known, system);
  const id = known === undefined || added === undefined ? hash : known.systemId;
  return { id, hash, added: added ?? "" };
}

function toScopeRecord({ system, tools }: Transcript, { id, hash }: ComparedSystem): ScopeRecord {
  return { systemId: id, systemHash: hash, systemLength: system.length, toolCount: tools.length };
}

function addedTo(known: ScopeRecord | undefined, system: string): string | undefined {
  if (known === undefined || known.systemLength > system.length) return undefined;
  const added = system.slice(known.systemLength);
  const isWhole = added === "" || (known.systemLength > 0 && added.startsWith("\n\n"));
  if (!isWhole || fingerprint([system.slice(0, known.systemLength)]) !== known.systemHash) return undefined;
  return added.trim();
}

interface SideCall {
  readonly ephemeral: boolean;
}

function sideCall(question: LineageQuestion, known: ScopeRecord | undefined, systemId: string): SideCall | undefined {
  const ephemeral = question.tools.length === 0;
  if (asksForChores(question)) return { ephemeral };
  if (known === undefined || question.tools.length >= known.toolCount) return undefined;
  return ephemeral || known.systemId !== systemId ? { ephemeral } : undefined;
}

type Origin =
  | { readonly kind: "joined"; readonly record: LineageRecord }
  | { readonly kind: "continuation"; readonly sessionId: string; readonly heardBefore: number }
  /** Some session began like this, and then went another way. */
  | { readonly kind: "left-behind" };

interface Search {
  readonly store: LineageStore;
  readonly stateOf: StateOf;
  readonly isNamed: boolean;
}

function findOrigin(chain: readonly ChainLink[], search: Search): Origin | undefined {
  const { store } = search;
  const whole = store.get(chain.at(-1)?.hash ?? "");
  const again = whole !== undefined && isNewest(whole, store) ? askedAgain(whole, chain, search) : undefined;
  if (again !== undefined) return again;
  const earlier = chain.slice(0, -1).findLast(({ hash }) => store.get(hash) !== undefined);
  const record = earlier && store.get(earlier.hash);
  if (record === undefined) return undefined;
  const isFree = isNewest(record, store) && record.isContested !== true;
  return isFree ? continuationOf(record) : { kind: "left-behind" };
}

/** The very same transcript: its turn may be shared, or, if it came to nothing, be tried once more. */
function askedAgain(
  record: LineageRecord,
  chain: readonly ChainLink[],
  { store, stateOf, isNamed }: Search,
): Origin | undefined {
  const state = stateOf(record, chain.at(-1)?.hash ?? "");
  if (state === "joinable") return { kind: "joined", record };
  if (state === "running" || record.outcome === "completed") return undefined;
  if (isNamed) return continuationOf(record);
  // Without a name it may be somebody else's try: only who has been in this session before may go on in it.
  const before = store.get(chain[record.heardBefore - 1]?.hash ?? "");
  const isOwn = before?.sessionId === record.sessionId && before.isContested !== true;
  return isOwn ? continuationOf(record) : undefined;
}

function continuationOf({ sessionId, outcome, count, heardBefore }: LineageRecord): Origin {
  return { kind: "continuation", sessionId, heardBefore: outcome === "completed" ? count : heardBefore };
}

function isNewest(record: LineageRecord, store: LineageStore): boolean {
  return store.newest(record.sessionId)?.turnId === record.turnId;
}
