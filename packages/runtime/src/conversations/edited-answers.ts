import type { EventStore, StoredEvent } from "../log/event-store.ts";
import { readAll } from "../log/read-turns.ts";
import type { SessionEngine } from "../turns/session-engine.ts";
import type { AnsweredPart, TranscriptMatch } from "./matching/classify-transcript.ts";
import { type GivenRound, GivenRounds, joinRounds } from "./matching/given-rounds.ts";
import type { SaidRound } from "./matching/said-rounds.ts";
import { areSameCalls } from "./matching/same-call.ts";
import { isSameAnswer } from "./matching/same-words.ts";
import type { SharedTurn } from "./shared-turn.ts";
import type { TurnRegistry } from "./turn-registry.ts";

const PAGE = 50;
/** What a running turn has sent will soon be in memory; only a busy machine makes this wait. */
const PATIENCE_MS = 10_000;

interface EditedAnswersOptions {
  readonly engine: Pick<SessionEngine, "store">;
  readonly registry: Pick<TurnRegistry, "find">;
}

/** The match itself, or a divergence if the client edited what the session said in the part it would continue or once continued. */
export async function unlessEdited(match: TranscriptMatch, options: EditedAnswersOptions): Promise<TranscriptMatch> {
  if (match.relation === "joined" || match.answered === undefined) return match;
  if (!(await isEdited(match.answered, options))) return match;
  // From here on it is identified by everything said in it: neither this conversation nor the original continues in the other's session.
  return { line: { ...match.line, hash: match.line.said }, relation: "divergence", isEdited: true };
}

/**
 * Whether a client edited what its session said: replaced an answer of the agent, or the arguments of a call. What clients do to every
 * answer (see `isSameAnswer`) does not count. Past answers are compared with the form in which they were last sent and, only if that
 * differs, with the log; the newest one is compared with what the session gave.
 */
async function isEdited(part: AnsweredPart, options: EditedAnswersOptions): Promise<boolean> {
  const { record, older, rounds } = part;
  const past = rounds.filter(({ after }) => after < record.count);
  // Rows of earlier Carets do not record what was sent.
  const isPastSame = record.said === undefined || record.said === older;
  if (!isPastSame && !(await hasSaid(options.engine.store, record.sessionId, past))) return true;
  const newest = rounds.find(({ after }) => after === record.count);
  if (newest === undefined) return false;
  const given = await givenTo(part, newest, options);
  return given.length > 0 && ![...given, joinRounds(given)].some((round) => isRound(newest, round));
}

function isRound({ words, calls }: SaidRound, given: GivenRound): boolean {
  return isSameAnswer(words, given.pieces) && areSameCalls(calls, given.calls);
}

/** Whether a session has said all of this, in this order. */
async function hasSaid(store: EventStore, sessionId: string, said: readonly SaidRound[]): Promise<boolean> {
  let found = 0;
  const take = (given: GivenRound | undefined): void => {
    const next = said[found];
    if (given !== undefined && next !== undefined && isRound(next, given)) found += 1;
  };
  const rounds = new GivenRounds();
  for await (const { event } of readAll(store, sessionId, 0, { raw: false })) take(rounds.add(event));
  take(rounds.end());
  return found === said.length;
}

/** What answered the record's transcript, round by round; empty if unknown. */
async function givenTo(
  { record, hash }: AnsweredPart,
  newest: SaidRound,
  { engine, registry }: EditedAnswersOptions,
): Promise<readonly GivenRound[]> {
  const shared = registry.find(record.turnId);
  const events = shared === undefined ? await loggedSince(engine.store, record) : await saidSince(shared, hash, newest);
  const rounds = new GivenRounds();
  const given = events.map(({ event }) => rounds.add(event));
  return [...given, rounds.end()].flatMap((round) => round ?? []);
}

/** From a turn of this process, as it was said; of a running turn, up to the calls that the client answers. */
async function saidSince(shared: SharedTurn, hash: string, { calls }: SaidRound): Promise<readonly StoredEvent[]> {
  const { turn } = shared;
  const awaited = calls.filter(({ callId }) => shared.hasCall(callId)).length;
  const isOver = shared.endedAt !== undefined;
  if (!isOver && awaited === 0) return [];
  const afterSeq = (shared.lastHash === hash ? shared.roundSeq : turn.firstSeq) - 1;
  const events: StoredEvent[] = [];
  let sent = 0;
  const following = turn.follow({ afterSeq, live: true, signal: AbortSignal.timeout(PATIENCE_MS) });
  for await (const batch of following) {
    events.push(...batch);
    sent += batch.filter(({ event }) => event.type === "tool-call" && event.owner === "client").length;
    if (!isOver && sent >= awaited) break;
  }
  return events;
}

/**
 * From the log: the turn and, if its transcript is the session's newest, the turns after it. Read from the end, because a session may be
 * long.
 */
async function loggedSince(
  store: EventStore,
  { sessionId, turnId, isNewest }: AnsweredPart["record"],
): Promise<readonly StoredEvent[]> {
  const pages: (readonly StoredEvent[])[] = [];
  let beforeSeq = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const page = await store.read(sessionId, { beforeSeq, limit: PAGE, raw: false });
    pages.push(page);
    const start = page.findIndex(({ event }) => event.type === "turn-start" && event.turnId === turnId);
    if (start !== -1) {
      const events = [page.slice(start), ...pages.slice(0, -1).reverse()].flat();
      return isNewest ? events : events.filter((stored) => stored.turnId === turnId);
    }
    const [first] = page;
    if (first === undefined || page.length < PAGE) return [];
    beforeSeq = first.seq;
  }
}
