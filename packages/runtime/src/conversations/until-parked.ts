import { type AgentEvent, isDelta, type TakeBatch, type TakeMore } from "@caret/protocol";
import { Alarm } from "../async/alarm.ts";
import type { LoggedCall } from "../calls/tool-call.ts";
import { endOf, type LiveEvent, type Position, WHOLE, wholeBefore } from "../log/follow.ts";
import type { RunningTurn } from "../turns/session-engine.ts";

/**
 * Where an answer ended that the client has continued from, and the calls it waited for. It may end within an event: one that was still
 * growing, or one whose rest a slow client had not taken.
 */
export interface RoundEnd {
  readonly position: Position;
  readonly calls: readonly LoggedCall[];
}

export interface UntilParkedOptions {
  readonly turn: RunningTurn;
  /** Where the previous answer ended. */
  readonly from: Position;
  readonly signal: AbortSignal;
  /** The client's own calls of this turn, in any of its answers. */
  readonly clientCalls: Set<string>;
  /** Called with the follower's position: as two numbers, because it is called for every word. */
  readonly onReached: (seq: number, characters: number) => void;
  /** The furthest position of any reader of this answer. */
  readonly reached: () => Position;
  /** Aborted when the client returned with results: from then on `end` says where this answer ended. */
  readonly closed: AbortSignal;
  readonly end: () => RoundEnd | undefined;
}

/**
 * Follows a turn until it ends or waits for the client. In the latter case the last events are the calls it waits for, including those
 * sent before that still have no result. Results of the client's own calls are omitted: it knows them. For later readers, an answer that
 * the client has continued from ends at the same place.
 */
export async function untilParked(options: UntilParkedOptions, take: TakeBatch<readonly AgentEvent[]>): Promise<void> {
  const { turn, from, signal, closed } = options;
  const left = new AbortController();
  // An explicit reason: the default is an exception with a stack.
  const answer = new Answer(options, take, () => left.abort("left"));
  closed.addEventListener("abort", answer.look, { once: true });
  try {
    answer.look();
    await turn.listen(Object.assign(answer.read, { more: answer.more }), {
      afterSeq: wholeBefore(from),
      signal: AbortSignal.any([signal, left.signal]),
      live: true,
    });
    if (answer.lastCalls.length > 0 && !signal.aborted) await take(answer.lastCalls);
  } finally {
    closed.removeEventListener("abort", answer.look);
    answer.close();
  }
}

/** One reader of one answer. */
class Answer {
  /** The calls that end the answer if the turn waits for its client. */
  lastCalls: readonly AgentEvent[] = [];
  readonly #options: UntilParkedOptions;
  readonly #take: TakeBatch<readonly AgentEvent[]>;
  readonly #more: TakeMore | undefined;
  readonly #leave: () => void;
  readonly #sent = new Set<string>();
  readonly #context: ShownContext;
  /** Rings when no further call is expected to go out with the waiting ones. */
  readonly #alarm = new Alarm(() => this.#park());
  #seq: number;
  /** How much of that event's text was read. */
  #characters: number;

  constructor(options: UntilParkedOptions, take: TakeBatch<readonly AgentEvent[]>, leave: () => void) {
    const { turn, clientCalls, from } = options;
    this.#options = options;
    this.#take = take;
    this.#more = take.more;
    this.#leave = leave;
    this.#context = { sent: this.#sent, clientCalls, hidden: new Set(), isClientRun: turn.parked !== undefined };
    this.#seq = from.seq;
    this.#characters = from.characters;
  }

  readonly read = (chunk: readonly LiveEvent[]): Promise<void> | void => {
    const { end, from } = this.#options;
    const ended = end();
    const isCut = ended !== undefined || chunk[0]?.seq === from.seq;
    const batch = isCut ? between(from, chunk, ended?.position) : chunk;
    const last = chunk.at(-1);
    if (last !== undefined) this.#reach(endOf(last));
    const events = shownEvents(batch, this.#context);
    // No call is expected while the client is busy with these events.
    this.#alarm.clear();
    const taken = events.length > 0 ? this.#take(events) : undefined;
    return taken === undefined ? this.look() : taken.then(this.look);
  };

  readonly more: TakeMore = (delta) => {
    const { end, turn, onReached } = this.#options;
    if (end() !== undefined || this.#more?.(delta) !== true) return false;
    // Only a turn that may wait for its client has another answer, which continues from here.
    if (turn.parked === undefined) return true;
    this.#characters += delta.text.length;
    onReached(this.#seq, this.#characters);
    // As after any batch: while the agent speaks, a waiting call is not followed by another.
    this.look();
    return true;
  };

  /** Ends the answer where the client continued from, or waits for what may still go out with it. */
  readonly look = (): void => {
    const ended = this.#options.end();
    if (ended === undefined) this.#alarm.set(windowOf(this.#options.turn));
    else if (this.#isAt(ended.position)) this.#endWith(ended.calls);
  };

  close(): void {
    this.#alarm.close();
  }

  #reach({ seq, characters }: Position): void {
    this.#seq = seq;
    this.#characters = characters;
    this.#options.onReached(seq, characters);
  }

  #isAt({ seq, characters }: Position): boolean {
    return this.#seq > seq || (this.#seq === seq && this.#characters >= characters);
  }

  #park(): void {
    const { turn, clientCalls, reached } = this.#options;
    const calls = waitingCalls(turn);
    // A call that is not in the log yet will come from there: sent now, it would be sent again after its result.
    const areLogged = calls.every(({ callId }) => clientCalls.has(callId));
    // A slow log is not silence: what another reader got before the calls is still to come.
    if (calls.length > 0 && areLogged && this.#isAt(reached())) this.#endWith(calls);
    else this.look();
  }

  #endWith(calls: readonly LoggedCall[]): void {
    this.lastCalls = unsentCalls(calls, this.#sent);
    this.#leave();
  }
}

function windowOf({ parked }: RunningTurn): number {
  return parked?.windowMs() ?? Number.POSITIVE_INFINITY;
}

function waitingCalls({ parked }: RunningTurn): readonly LoggedCall[] {
  return parked?.open() ?? [];
}

/** The events after `from` and, if `to` is given, up to `to`. */
function between(from: Position, events: readonly LiveEvent[], to: Position | undefined): readonly LiveEvent[] {
  const within: LiveEvent[] = [];
  for (const live of events) {
    const { event } = live;
    const [start, end] = [lengthUpTo(from, live), to === undefined ? WHOLE : lengthUpTo(to, live)];
    if (start === 0 && end === WHOLE) within.push(live);
    else if (isDelta(event) && start < Math.min(end, event.text.length))
      within.push({ ...live, event: { ...event, text: event.text.slice(start, end) } });
  }
  return within;
}

/** How much of a piece of text comes before a position; other events are all or nothing. */
function lengthUpTo({ seq, characters }: Position, { seq: of, offset = 0 }: LiveEvent): number {
  if (of !== seq) return of < seq ? WHOLE : 0;
  return Math.max(0, characters - offset);
}

interface ShownContext {
  readonly sent: Set<string>;
  readonly clientCalls: Set<string>;
  /** The agent's own calls in a turn whose tools the client runs. */
  readonly hidden: Set<string>;
  readonly isClientRun: boolean;
}

/**
 * If the client runs the tools, the agent's own are switched off. An agent that tries one is refused and uses the client's tool instead:
 * that is logged, but would only confuse the client's user.
 */
function shownEvents(batch: readonly LiveEvent[], context: ShownContext): readonly AgentEvent[] {
  const events: AgentEvent[] = [];
  for (const { event } of batch) if (isShown(event, context)) events.push(event);
  return events;
}

function isShown(event: AgentEvent, { sent, clientCalls, hidden, isClientRun }: ShownContext): boolean {
  if (event.type === "tool-result") return !clientCalls.has(event.callId) && !hidden.has(event.callId);
  if (event.type !== "tool-call") return true;
  if (event.owner === "client") {
    sent.add(event.callId);
    clientCalls.add(event.callId);
    return true;
  }
  if (isClientRun) hidden.add(event.callId);
  return !isClientRun;
}

function unsentCalls(calls: readonly LoggedCall[], sent: ReadonlySet<string>): readonly AgentEvent[] {
  return calls
    .filter(({ callId }) => !sent.has(callId))
    .map((call) => ({ type: "tool-call", ...call, kind: "other", owner: "client" }) as const);
}
