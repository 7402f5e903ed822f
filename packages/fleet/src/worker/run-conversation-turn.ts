import { CaretError, type TurnOutcome, type TurnShare } from "@caret/protocol";
import type { RuntimeConversations } from "@caret/runtime";
import { replyOf } from "../wire/reply.ts";
import type { ConversationInput } from "../wire/turn-input.ts";
import type { LiveWriter } from "./live-writer.ts";
import { leaseLost } from "./run-native-turn.ts";
import type { TurnAnswers } from "./turn-answers.ts";

/** A share held by a client of another process. */
export interface RemoteShare {
  readonly gateway: string;
  leave(how: "answered" | "gone"): void;
  cut(reason: string): void;
  stop(reason: string): void;
}

export interface RunConversationOptions {
  readonly conversations: Pick<RuntimeConversations, "open">;
  readonly answer: TurnAnswers;
  readonly live: LiveWriter;
  /** Gateways' shares in this worker's turns, by request id. */
  readonly shares: Map<string, RemoteShare>;
  readonly onError: (error: CaretError) => void;
  /** Interval for rewriting an end that the gateway has not acknowledged. */
  readonly againMs?: number;
}

/** Answers are normally acknowledged within moments. */
const AGAIN_MS = 5_000;

/** Answers one request and keeps its conversation here until the client has left and the turn is over. */
export async function runConversationTurn(
  options: RunConversationOptions,
  id: string,
  { request, caller, gateway }: ConversationInput,
  lost: AbortSignal,
): Promise<void> {
  const opened: { share?: TurnShare } = {};
  const reply = await replyOf(async () => {
    const share = await options.conversations.open(request, caller);
    opened.share = share;
    const { turnId, sessionId, model, relation, startsTurn, conversation } = share;
    return { turnId, sessionId, model, relation, startsTurn, ...(conversation === undefined ? {} : { conversation }) };
  });
  const { share } = opened;
  if (share === undefined) return await options.answer(reply);
  const left = Promise.withResolvers<void>();
  const gone = new AbortController();
  const leave = (how: "answered" | "gone"): void => {
    // Stop reading: anything read from here on would count as delivered, and be missing from the answer to the client's results.
    if (how === "gone") gone.abort("gone");
    share.leave(how);
    left.resolve();
  };
  options.shares.set(id, { gateway, leave, cut: (reason) => share.cut(reason), stop: (reason) => share.stop(reason) });
  const onLost = (): void => {
    share.stop(leaseLost().message);
    leave("gone");
  };
  lost.addEventListener("abort", onLost, { once: true });
  if (lost.aborted) onLost();
  await options.answer(reply);
  // The gateway waits for the rest until the queued turn is over, and this would wait for the gateway.
  if (!(await pump(share, options, gone.signal))) leave("gone");
  const again = setInterval(() => void options.live.endAgain().catch(options.onError), options.againMs ?? AGAIN_MS);
  await left.promise;
  clearInterval(again);
  await share.outcome;
  options.shares.delete(id);
}

/** Returns whether the gateway can read everything. If not, the gateway sees the turn as interrupted once it is over. */
async function pump(
  share: TurnShare,
  { live, onError }: RunConversationOptions,
  signal: AbortSignal,
): Promise<boolean> {
  let end: TurnOutcome | undefined;
  try {
    await share.follow((events) => {
      const last = events.at(-1);
      if (last?.type === "turn-end") end = last.outcome;
      return live.take(events);
    }, signal);
    // If reading stopped before the end, nobody reads on, so write no end.
    if (end !== undefined || !signal.aborted) await live.end(end ?? (await ended(share)));
    return true;
  } catch (reason) {
    onError(CaretError.from(reason));
    return false;
  }
}

/** An answer without an end waits for its client, or its log broke. */
async function ended(share: TurnShare): Promise<TurnOutcome | "parked"> {
  return await Promise.race([share.outcome, new Promise<"parked">((resolve) => setImmediate(resolve, "parked"))]);
}
