import { CaretError, type ErrorInfo } from "@caret/protocol";
import type { EventStore, RunningTurn, RunningTurnQuery } from "../engine/event-store.ts";
import { interruptedEnd, noOpenParts, type OpenParts, trackOpenParts } from "./interrupted-end.ts";
import { readAll } from "./read-all.ts";

export interface InterruptOptions extends RunningTurnQuery {
  /** Whether the owner of a turn can still end it itself. */
  readonly isAlive?: (owner: string) => boolean;
}

/**
 * End every turn whose owner died before it could. Any process may call it at any time, several at once too: each turn is
 * ended by one of them. Returns the turns that this call ended.
 */
export async function interruptRunningTurns(
  store: EventStore,
  { isAlive = (owner) => store.isOwnerAlive(owner), ...query }: InterruptOptions = {},
): Promise<readonly RunningTurn[]> {
  const ended: RunningTurn[] = [];
  for (const turn of await store.runningTurns(query))
    if (!isAlive(turn.owner) && (await interruptTurn(store, turn))) ended.push(turn);
  return ended;
}

/** A turn in the log, as much as it takes to end it. */
export type UnendedTurn = Pick<RunningTurn, "sessionId" | "turnId" | "firstSeq">;

/**
 * Close what the turn left open and end it: because its process stopped, unless another reason is known. Says whether it
 * did: somebody else may have done it first.
 */
export async function interruptTurn(store: EventStore, turn: UnendedTurn, reason?: ErrorInfo): Promise<boolean> {
  // In this order: whoever ends the turn after it was seen running moves the session on from the `lastSeq` seen before.
  const session = await store.getSession(turn.sessionId);
  if (session === undefined || !(await isRunning(store, turn))) return false;
  const end = interruptedEnd(await openPartsOf(store, turn), reason);
  const entries = end.map((event) => ({ turnId: turn.turnId, event }));
  try {
    await store.append(turn.sessionId, session.lastSeq, entries);
    return true;
  } catch (refusal) {
    if (isOvertaken(refusal)) return false;
    throw refusal;
  }
}

async function isRunning(store: EventStore, { sessionId, turnId }: UnendedTurn): Promise<boolean> {
  return (await store.runningTurns({ sessionId })).some((turn) => turn.turnId === turnId);
}

function isOvertaken(reason: unknown): boolean {
  return CaretError.is(reason) && (reason.code === "session-busy" || reason.code === "session-not-found");
}

async function openPartsOf(store: EventStore, turn: UnendedTurn): Promise<OpenParts> {
  const parts = noOpenParts();
  for await (const stored of readAll(store, turn.sessionId, turn.firstSeq - 1))
    if (stored.turnId === turn.turnId) trackOpenParts(parts, stored.event);
  return parts;
}
