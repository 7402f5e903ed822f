import { CaretError, type CommandKey, type CommandRecord, type TurnShare } from "@caret/protocol";
import type { EventStore } from "../log/event-store.ts";
import { hasActedBefore, type LoggedTurn, loggedShare, outcomeOf, readTurn, withReason } from "./logged-share.ts";
import type { LineageRecord } from "./matching/lineage-store.ts";
import type { ResolvedRequest } from "./resolved-request.ts";
import type { SharedTurn } from "./shared-turn.ts";

/** What the log knows about a repeated request: the turn it started, or the record under which it may start one. */
export type Recalled = { readonly turn: TurnShare } | { readonly command: CommandKey | undefined };

export interface RecallOptions {
  readonly store: EventStore;
  readonly findShared: (turnId: string) => SharedTurn | undefined;
  /** Digest of the request's transcript. */
  readonly hash: string;
  /** The last turn that answered this transcript, for recognising a request without a key. */
  readonly answered?: LineageRecord | undefined;
  readonly now: () => number;
}

/** A library waits seconds between its attempts: whatever ended longer ago was another request with the same words. */
const SENT_AGAIN_MS = 2 * 60_000;

/**
 * Finds the turn that the same request started before, in this process or in one that has stopped since. The request is answered with that
 * turn instead of starting a second one. Only a turn that had a transient failure before it had acted is started again, under its own
 * record: clients send the same key when they retry.
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

/** Undefined if the turn is to be started again: its failure was transient, and it had not acted. */
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
 * The official SDKs retry a request on their own if they got no answer, and mark it. Without a key such a request is recognised by its
 * transcript. It starts again unless the previous turn has acted, in which case it is answered with that turn. A client that runs the
 * tools itself has run none of those in an answer it did not get.
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
  // A turn without an end is run by another process and cannot be joined from here: `loggedShare` says so.
  if (outcome !== undefined && (now() - logged.at > SENT_AGAIN_MS || !hasActedBefore(logged))) return undefined;
  // Whether the client got all of it is known here, and handled as for any other repeated request.
  if (shared !== undefined && outcome?.kind === "completed") return undefined;
  return withReason(shared?.take(hash, "joined", client) ?? loggedShare(logged, "transcript"), "transcript");
}

/** Whether the turn's failure was transient and it had not acted. */
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
