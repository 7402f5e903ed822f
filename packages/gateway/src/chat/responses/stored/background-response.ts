import { type Caller, lastingCaller } from "@caret/protocol";
import type { ResponseObject } from "../answer.ts";
import type { ItemStore, KeptResponse } from "../item-store.ts";
import { storedFraming } from "../making/event-framing.ts";
import { makeResponse, type StartedResponse } from "../making/make-response.ts";
import type { PreparedResponse, ResponsesContext } from "../making/prepare-response.ts";
import type { RunningResponse, RunningResponses } from "./running-responses.ts";

/** How often a process records in the archive that it is still making a response, and checks whether it is still wanted. */
const BEAT_MS = 5_000;
/** A process silent for this long is gone, and its responses with it. */
const GONE_MS = 6 * BEAT_MS;

/**
 * Starts a response that goes on without its client. Rejects with failures before its turn has started; from then on it can be read,
 * followed and cancelled by id.
 */
export async function startInBackground(
  prepared: PreparedResponse,
  caller: Caller,
  context: ResponsesContext,
  running: RunningResponses,
): Promise<RunningResponse> {
  const { id, owner } = prepared;
  const { promise: begun, resolve, reject } = Promise.withResolvers<void>();
  let turn: StartedResponse | undefined;
  let final: ResponseObject | undefined;
  const live = running.add(owner, id, () => {
    const response = final ?? turn?.response();
    if (response === undefined) throw new Error("A response was read before its turn had started");
    return response;
  });
  const life = keepAlive(prepared, context, () => void live.cancel());
  makeResponse({
    prepared,
    conversations: context.conversations,
    caller: lastingCaller(caller),
    signal: live.signal,
    framing: storedFraming,
    isDetached: true,
    write: (text) => live.write(text),
    started(started) {
      turn = started;
      live.signal.addEventListener("abort", () => started.stop("The response was cancelled"), { once: true });
      void life.begin(started).then(resolve);
    },
    async keep(response, started) {
      final = response;
      await life.end();
      await keepUnlessDeleted(context.items, owner, prepared.toKept(response, started), started.sessionId);
    },
  })
    .catch(reject)
    .finally(() => {
      void life.end();
      live.end();
    });
  await begun;
  return live;
}

/** Returns what its owner has done to it. If another process deletes it during the write, the write is undone. */
async function keepUnlessDeleted(items: ItemStore, owner: string, kept: KeptResponse, sessionId: string) {
  let withdrawal = await items.withdrawal(owner, kept.id);
  if (withdrawal === "deleted") return withdrawal;
  await items.keep(owner, kept, sessionId);
  withdrawal = await items.withdrawal(owner, kept.id);
  if (withdrawal === "deleted") await items.forget(owner, kept.id);
  return withdrawal;
}

/** Publishes the current response to other processes, which can cancel or delete it. */
function keepAlive(prepared: PreparedResponse, { items, now }: ResponsesContext, cancel: () => void) {
  const { owner } = prepared;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();

  async function beat(turn: StartedResponse): Promise<void> {
    // Nothing goes on from it before its end, so its input is stored once, as items.
    const kept = { ...prepared.toKept(turn.response(), turn), system: [], messages: [], aliveAt: now() };
    // Not awaited: cancelling waits for this to end.
    if ((await keepUnlessDeleted(items, owner, kept, turn.sessionId)) !== undefined) cancel();
  }

  return {
    begin(turn: StartedResponse): Promise<void> {
      timer = setInterval(() => {
        beating = beating.then(() => (timer === undefined ? undefined : beat(turn)));
      }, BEAT_MS).unref();
      beating = beat(turn);
      return beating;
    },
    /** Stops publishing. */
    async end(): Promise<void> {
      clearInterval(timer);
      timer = undefined;
      await beating;
    },
  };
}

export function isMadeElsewhere({ aliveAt }: KeptResponse, now: number): boolean {
  return aliveAt !== undefined && now - aliveAt < GONE_MS;
}

/** A kept response as its client reads it; undefined if an older version kept only what is needed to go on from it. */
export function toObject(kept: KeptResponse, now: number): ResponseObject | undefined {
  const { id, previousId, head, output, aliveAt, isCancelled } = kept;
  if (head === undefined) return undefined;
  const response = { ...head, id, previous_response_id: previousId ?? null, output };
  if (isCancelled === true) return { ...response, status: "cancelled" };
  if (aliveAt === undefined || isMadeElsewhere(kept, now)) return response;
  const message = "The gateway that made this response is gone.";
  return { ...response, status: "failed", error: { code: "server_error", message } };
}
