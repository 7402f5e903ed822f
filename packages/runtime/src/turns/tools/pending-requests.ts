import { type AgentEvent, CaretError, LONGEST_TIMER_MS } from "@caret/protocol";
import { whyStopped } from "../../log/why-stopped.ts";
import { durationWords } from "../duration-words.ts";

export interface WaitingRoomOptions<Request, Answer> {
  /** Appends events to the turn's log, in order. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  /** How long a request may wait. */
  readonly limitMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The answer for a request that nobody answered. */
  readonly lapse: (request: Request, reason: string) => Answer;
  readonly onChange: () => void;
}

/**
 * Requests that wait for a person. Each gets one answer, which takes effect only once it is in the log. A request lapses after the limit,
 * or when the agent stops waiting for it.
 */
export interface PendingRequests<Request, Answer> {
  /** Rejects only if the log cannot be written. */
  wait(request: Request, signal: AbortSignal): Promise<Answer>;
  find(requestId: string): Request | undefined;
  /** False if no such request is waiting. */
  answer(requestId: string, answer: Answer): boolean;
  open(): readonly { readonly request: Request; readonly since: number }[];
  /** Ends the turn's requests and returns the events to log before its end. Nothing waits afterwards. */
  end(): readonly Answer[];
}

function reasonOf({ reason }: AbortSignal): string {
  const isCaret = CaretError.is(reason) && reason.code === "interrupted";
  return isCaret ? "Caret stopped before anybody answered" : whyStopped(reason);
}

const TURN_OVER = "The turn ended before anybody answered";

export function createPendingRequests<
  Request extends AgentEvent & { readonly requestId: string },
  Answer extends AgentEvent,
>(options: WaitingRoomOptions<Request, Answer>): PendingRequests<Request, Answer> {
  const { write, limitMs, now, lapse, onChange } = options;
  const waiting = new Map<
    string,
    { readonly request: Request; readonly since: number } & PromiseWithResolvers<Answer>
  >();
  let hasEnded = false;

  const answer = (requestId: string, given: Answer): boolean => {
    const found = waiting.get(requestId);
    if (found === undefined) return false;
    waiting.delete(requestId);
    void write([given]).then(() => found.resolve(given), found.reject);
    onChange();
    return true;
  };

  return {
    async wait(request, signal) {
      const { requestId } = request;
      // An answer belongs to the one request that was shown under its id.
      if (waiting.has(requestId)) return lapse(request, "Another request waits under its id");
      if (hasEnded || signal.aborted) return lapse(request, signal.aborted ? reasonOf(signal) : TURN_OVER);
      const answered = Promise.withResolvers<Answer>();
      answered.promise.catch(() => undefined); // handled below, unless writing the request itself failed
      waiting.set(requestId, { request, since: now(), ...answered });
      const giveUp = (reason: string): void => void answer(requestId, lapse(request, reason));
      const onAbort = (): void => giveUp(reasonOf(signal));
      const timer = setTimeout(
        giveUp,
        Math.min(limitMs, LONGEST_TIMER_MS),
        `Nobody answered within ${durationWords(limitMs)}`,
      );
      signal.addEventListener("abort", onAbort, { once: true });
      try {
        await write([request]);
        onChange();
        return await answered.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener("abort", onAbort);
        waiting.delete(requestId);
      }
    },
    find: (requestId) => waiting.get(requestId)?.request,
    answer,
    open: () => [...waiting.values()].map(({ request, since }) => ({ request, since })),
    end() {
      hasEnded = true;
      const left = [...waiting.values()].map(({ request, resolve }) => {
        const given = lapse(request, TURN_OVER);
        resolve(given);
        return given;
      });
      waiting.clear();
      if (left.length > 0) onChange();
      return left;
    },
  };
}
