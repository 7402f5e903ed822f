import {
  type AgentEvent,
  afterActing,
  CaretError,
  type Conversations,
  type ErrorInfo,
  type TakeBatch,
  type TakeMore,
  type TurnOutcome,
  type TurnShare,
} from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { clientGone } from "../http/client-gone.ts";
import { requestContextOf } from "../http/request-context.ts";
import { openSse, type SseWriter } from "../http/sse-writer.ts";
import type { ActivityDisplay } from "./activity-text.ts";
import { AnswerReader } from "./answer-reader.ts";
import type { DoorRequest } from "./door-request.ts";
import { IGNORED_HEADER, ignoredHeader } from "./ignored-fields.ts";
import { type AnswerLimits, type Cut, createAnswerLimiter } from "./stop-matcher.ts";

/** What every stateless door gets. */
export interface DoorOptions {
  readonly conversations: Conversations;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  /** How the agent's own tool activity is shown. */
  readonly showActivity: ActivityDisplay;
  /** How long a stream may be silent before a comment or an event keeps it alive. */
  readonly keepAliveMs: number;
}

/** A door's stream as a pure state machine: events in, SSE text out. */
export interface AnswerStream {
  /** Text to send along with the response's head. */
  start?(): string;
  /** Text for a batch: whole SSE events, or empty. */
  write(batch: readonly AgentEvent[]): string;
  /** The same for more of the open text. If none is open, returns undefined and changes nothing. */
  more(text: string): string | undefined;
  /** The format's own end, also after a failure; called once, last. */
  end(ending: AnswerEnding): string;
  /** The turn's own end, once it was among the events. */
  readonly outcome: TurnOutcome | undefined;
  /** Calls given to the client to run. */
  readonly calls: number;
}

/** A door's part in answering a turn. */
export interface AnswerWriter {
  readonly stream: boolean;
  /** The format's separator between two blocks of text. */
  readonly blockGap: string;
  /** Keeps a silent stream alive. Default: an SSE comment. */
  readonly keepAlive?: string;
  openStream(turn: TurnShare): AnswerStream;
  /** Must finish before the client gets the end of its answer. */
  kept?(): Promise<void> | undefined;
  /** The whole answer, as the body to send. */
  toWhole(turn: TurnShare, events: readonly AgentEvent[], cut: Cut | undefined): unknown;
}

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly options: DoorOptions;
}

interface Followed extends Omit<FollowedAnswer, "progress"> {
  readonly turn: TurnShare;
}

/** Starts the turn and answers with it. Throws failures before the first word; the route's error handler shows them. */
export async function serveAnswer(exchange: Exchange, door: DoorRequest, format: AnswerWriter): Promise<FastifyReply> {
  const { request, reply, options } = exchange;
  const context = requestContextOf(request);
  const gone = clientGone(reply.raw);
  const signal = AbortSignal.any([gone, context.signal]);
  const turn = await options.conversations.open(door, context.caller);
  const followed = { turn, limits: { ...door, gap: format.blockGap }, signal };
  let isAnswered = false;
  try {
    reply.header("x-caret-session", turn.sessionId).header("x-caret-turn", turn.turnId);
    const ignored = ignoredHeader(door);
    if (ignored !== undefined) reply.header(IGNORED_HEADER, ignored);
    if (format.stream) await sendStream(exchange, followed, format);
    else await sendWhole(exchange, followed, format);
    isAnswered = !signal.aborted;
    return reply;
  } catch (reason) {
    throw turn.hasActed() ? CaretError.fromInfo(afterActing(CaretError.from(reason).toInfo()), reason) : reason;
  } finally {
    turn.leave(isAnswered ? "answered" : "gone");
  }
}

async function sendWhole({ reply, options }: Exchange, followed: Followed, format: AnswerWriter): Promise<void> {
  const events: AgentEvent[] = [];
  const answer = new AnswerReader(options.showActivity);
  const ending = await followAnswer({ ...followed, progress: answer }, (batch) => {
    answer.read(batch);
    for (const event of batch) events.push(event);
  });
  if (ending.kind === "failed") throw CaretError.fromInfo(ending.error);
  const whole = format.toWhole(followed.turn, events, ending.cut);
  await format.kept?.();
  await reply.send(whole);
}

/**
 * Delays the head until there is something to say, at most as long as a stream may be silent: a turn that fails before its first word can
 * then still be answered with an honest status, which clients understand better than any error inside a stream.
 */
async function sendStream(
  { request, reply, options }: Exchange,
  followed: Followed,
  format: AnswerWriter,
): Promise<void> {
  const { signal: serverSignal, meter } = requestContextOf(request);
  const stream = format.openStream(followed.turn);
  const { keepAliveMs } = options;
  const { keepAlive } = format;
  let sse: SseWriter | undefined;
  const open = (): SseWriter => {
    if (sse !== undefined) return sse;
    sse = openSse(reply, { signal: serverSignal, keepAliveMs, keepAlive, meter });
    const start = stream.start?.() ?? "";
    // Small, and the first write: there is nothing to wait for.
    if (start !== "") void sse.write(start);
    return sse;
  };
  const patience = setTimeout(open, keepAliveMs);
  try {
    const batches = (batch: readonly AgentEvent[]): Promise<void> | void => {
      const text = stream.write(batch);
      return text === "" ? undefined : open().write(text);
    };
    const more: TakeMore = (delta) => {
      const text = sse === undefined || sse.isFull ? undefined : stream.more(delta.text);
      // If this fills the client's buffer, the next batch waits.
      if (text !== undefined) void sse?.write(text);
      return text !== undefined;
    };
    const ending = await followAnswer({ ...followed, progress: stream }, Object.assign(batches, { more }));
    if (ending.kind === "failed" && sse === undefined) throw CaretError.fromInfo(ending.error);
    const last = stream.end(ending);
    await format.kept?.();
    await open().write(last);
  } finally {
    clearTimeout(patience);
    sse?.end();
  }
}

/** How an answer ends. A pause for the client's tools ends the answer successfully, though not the turn; so does a cut. */
export type AnswerEnding =
  | { readonly kind: "finished"; readonly cut?: Cut | undefined }
  | { readonly kind: "failed"; readonly error: ErrorInfo };

interface Progress {
  /** The turn's own end, once it was among the events. */
  readonly outcome: TurnOutcome | undefined;
  /** Calls given to the client to run. */
  readonly calls: number;
}

interface FollowedAnswer {
  readonly turn: Pick<TurnShare, "follow" | "outcome" | "cut" | "hasActed">;
  readonly limits: AnswerLimits;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/**
 * Passes on every batch of a turn, then returns how the answer ends; at a limit of the answer it cuts the turn too. Never rejects: a
 * failure is an ending too, and says whether the turn had acted, whatever failed. If it was not the turn that failed, the turn may still
 * act, so it counts as having acted.
 */
export async function followAnswer(
  followed: FollowedAnswer,
  take: TakeBatch<readonly AgentEvent[]>,
): Promise<AnswerEnding> {
  const ending = await followToEnd(followed, take);
  if (ending.kind !== "failed" || !followed.turn.hasActed()) return ending;
  return { kind: "failed", error: afterActing(ending.error) };
}

async function followToEnd(followed: FollowedAnswer, take: TakeBatch<readonly AgentEvent[]>): Promise<AnswerEnding> {
  const { turn, limits, progress, signal } = followed;
  const limiter = createAnswerLimiter(limits);
  const cut = new AbortController();
  try {
    const read = (batch: readonly AgentEvent[]): Promise<void> | void => {
      if (limiter.cut !== undefined || progress.outcome !== undefined) return undefined;
      const taken = take(limiter.read(batch));
      // An explicit reason, since the default one is an exception with a stack.
      if (limiter.cut !== undefined) cut.abort("cut");
      return taken;
    };
    const more = take.more === undefined ? undefined : limiter.before(take.more);
    await turn.follow(Object.assign(read, { more }), AbortSignal.any([signal, cut.signal]));
    if (limiter.cut === undefined) return await endingOf(followed);
    turn.cut(cutReason(limiter.cut));
    return { kind: "finished", cut: limiter.cut };
  } catch (reason) {
    return brokenOff(signal.aborted ? signal.reason : reason);
  }
}

async function endingOf({ turn, progress, signal }: FollowedAnswer): Promise<AnswerEnding> {
  if (progress.outcome === undefined && signal.aborted) return brokenOff(signal.reason);
  // The turn is parked: it waits for the client to run its calls.
  if (progress.outcome === undefined && progress.calls > 0) return { kind: "finished" };
  const outcome = progress.outcome ?? (await turn.outcome);
  if (outcome.kind === "completed") return { kind: "finished" };
  if (outcome.kind === "failed") return { kind: "failed", error: outcome.error };
  return { kind: "failed", error: new CaretError("cancelled", "The turn was cancelled").toInfo() };
}

function cutReason({ kind }: Cut): string {
  return kind === "length" ? "The answer reached its maximum number of tokens" : "The answer reached a stop sequence";
}

/** The answer broke off while the turn goes on for a moment. */
function brokenOff(reason: unknown): AnswerEnding {
  return { kind: "failed", error: afterActing(CaretError.from(reason).toInfo()) };
}
