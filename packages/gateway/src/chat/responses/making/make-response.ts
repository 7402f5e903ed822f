import {
  type AgentEvent,
  afterActing,
  type Caller,
  CaretError,
  type Conversations,
  type TakeMore,
} from "@caret/protocol";
import { followAnswer } from "../../serve-answer.ts";
import type { ResponseObject } from "../answer.ts";
import { ResponseStream } from "../stream.ts";
import type { EventFraming } from "./event-framing.ts";
import type { PreparedResponse } from "./prepare-response.ts";

export interface ResponseMaking {
  readonly prepared: PreparedResponse;
  readonly conversations: Conversations;
  readonly caller: Caller;
  /** Aborts when the response is no longer wanted. */
  readonly signal: AbortSignal;
  readonly framing: EventFraming;
  /** Takes whole events; a promise is awaited (backpressure). */
  write(text: string): Promise<void> | void;
  /** Its client has already been answered: any failure becomes the end of the response. */
  readonly isDetached?: boolean;
  /** Called once its turn has started. */
  started?(turn: StartedResponse): void;
  /** Called before the last events are written. */
  keep(response: ResponseObject, turn: StartedResponse): Promise<void>;
}

export interface StartedResponse {
  readonly sessionId: string;
  readonly conversation?: string | undefined;
  /** The response as it stands. */
  response(): ResponseObject;
  stop(reason: string): void;
}

/**
 * Starts a turn and makes a response of it, for readers other than an HTTP answer. Rejects with failures before the first event; later ones
 * become the end of the response.
 */
export async function makeResponse(making: ResponseMaking): Promise<void> {
  const { prepared, conversations, caller, signal, framing } = making;
  const { request } = prepared.read;
  const turn = await conversations.open(request, caller);
  const stream = new ResponseStream({ ...prepared.shape(turn), framing });
  const started: StartedResponse = {
    sessionId: turn.sessionId,
    conversation: turn.conversation,
    response: () => stream.response,
    stop: turn.stop,
  };
  let isBegun = false;
  let isAnswered = false;
  const write = (text: string): Promise<void> | void => {
    if (text === "") return undefined;
    isBegun = true;
    return making.write(text);
  };
  const batches = (batch: readonly AgentEvent[]): Promise<void> | void => write(stream.write(batch));
  const more: TakeMore = (delta) => {
    const text = stream.more(delta.text);
    // The next batch waits for a slow reader.
    if (text !== undefined) void write(text);
    return text !== undefined;
  };
  try {
    making.started?.(started);
    const limits = { ...request, gap: "" };
    const ending = await followAnswer({ turn, limits, progress: stream, signal }, Object.assign(batches, { more }));
    if (ending.kind === "failed" && !isBegun && making.isDetached !== true) throw CaretError.fromInfo(ending.error);
    const last = stream.end(ending);
    await making.keep(stream.response, started);
    await write(last);
    isAnswered = !signal.aborted;
  } catch (reason) {
    throw turn.hasActed() ? CaretError.fromInfo(afterActing(CaretError.from(reason).toInfo()), reason) : reason;
  } finally {
    turn.leave(isAnswered ? "answered" : "gone");
  }
}
