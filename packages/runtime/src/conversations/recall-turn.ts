import { CaretError, type CommandKey, type CommandRecord, type TurnShare } from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";
import { hasActedBefore, type LoggedTurn, loggedShare, outcomeOf, readTurn, withReason } from "./logged-share.ts";
import type { LineageRecord } from "./matching/lineage-store.ts";
import type { ResolvedRequest } from "./resolved-request.ts";
import type { SharedTurn } from "./shared-turn.ts";

/** What the log knows of a request that was sent before: the turn it began, or the record under which it may begin one. */
export type Recalled = { readonly turn: TurnShare } | { readonly command: CommandKey | undefined };

export interface RecallOptions {
  readonly store: EventStore;
  readonly findShared: (turnId: string) => SharedTurn | undefined;
  /** The digest of the transcript that the request brings. */
  readonly hash: string;
  /** The last turn that answered this transcript, where a request without a key may be recognised by it. */
  readonly answered?: LineageRecord | undefined;
  readonly now: () => number;
}

/** A library waits for seconds between its attempts: what ended longer ago was another request of the same words. */
const SENT_AGAIN_MS = 2 * 60_000;

/**
 * Look for the turn that the same request began before, in this process or in one that was stopped or killed since. It is
 * answered with that turn, and no second one begins. Only a turn that failed of something passing before it had acted is begun
 * again, under a record of its own: clients send the same key when they try again.
 */
export async function recallTurn(asked: ResolvedRequest, options: RecallOptions): Promise<Recalled> {
  const { command } = asked;
  if (command === undefined) {
    const turn = await turnBefore(asked, options);
    return turn === undefined ? { command } : { turn };
  }
  for (let attempt = 1; ; attempt++) {
    const name = attempt === 1 ? command.name : `${command.name} ${attempt}`;
    const done = await options.store.findCommand(name);
    if (done === undefined) return { command: { ...command, name } };
    if (done.digest !== command.digest) throw otherRequest();
    const turn = await turnOf(done, options, asked.client);
    if (turn !== undefined) return { turn };
  }
}

/** Undefined when the turn is to be begun again: it failed of something passing, and had not acted. */
async function turnOf(
  { sessionId, turn }: CommandRecord,
  options: RecallOptions,
  client: ResolvedRequest["client"],
): Promise<TurnShare | undefined> {
  const shared = turn && options.findShared(turn.turnId);
  if (shared !== undefined && shared.endedAt === undefined) return shared.take(options.hash, "joined", client);
  const logged = turn && (await readTurn(options.store, { sessionId, ...turn }));
  if (logged === undefined) throw wasDeleted();
  if (isToBeginAgain(logged)) return undefined;
  return withReason(shared?.take(options.hash, "joined", client) ?? loggedShare(logged, "key"), "key");
}

/**
 * The official SDKs send a request again by themselves where they got no answer, and say so. Without a key such a request is known by
 * its transcript. It begins again unless the turn before has acted: then it is answered with that turn. A client that runs the tools
 * itself has run none of those in an answer that it did not get.
 */
async function turnBefore(
  { isSentAgain, owner, question, client }: ResolvedRequest,
  { store, findShared, hash, answered, now }: RecallOptions,
): Promise<TurnShare | undefined> {
  if (!isSentAgain || owner === "client" || answered?.request !== question.request) return undefined;
  const shared = findShared(answered.turnId);
  if (shared !== undefined && shared.endedAt === undefined) return shared.take(hash, "joined", client);
  const logged = await readTurn(store, answered);
  const outcome = logged && outcomeOf(logged);
  if (logged === undefined) return undefined;
  // One without an end is run by another process, which nobody can join from here: `loggedShare` says so.
  if (outcome !== undefined && (now() - logged.at > SENT_AGAIN_MS || !hasActedBefore(logged))) return undefined;
  // Whether the client was given all of it is known here, and decided as for any other request of the same words.
  if (shared !== undefined && outcome?.kind === "completed") return undefined;
  return withReason(shared?.take(hash, "joined", client) ?? loggedShare(logged, "transcript"), "transcript");
}

/** Whether the turn failed of something passing and had not acted. */
function isToBeginAgain(turn: LoggedTurn): boolean {
  const outcome = outcomeOf(turn);
  return outcome?.kind === "failed" && outcome.error.retryable && !hasActedBefore(turn);
}

function otherRequest(): CaretError {
  return new CaretError("invalid-request", "idempotency-key: was used before, with another body.", {
    fix: "Use a new key for each new request.",
  });
}

function wasDeleted(): CaretError {
  return new CaretError("answer-not-kept", "The session that answered this idempotency-key was deleted since");
}
