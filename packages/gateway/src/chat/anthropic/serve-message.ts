import type { AgentEvent } from "@caret/protocol";
import type { FastifyReply, FastifyRequest } from "fastify";
import { clientGone } from "../../http/client-gone.ts";
import { requestContextOf } from "../../http/request-context.ts";
import { openSse, type SseWriter } from "../../http/sse-writer.ts";
import { countAnswer } from "../answer-usage.ts";
import { IGNORED_HEADER, ignoredHeader } from "../ignored-fields.ts";
import { type LimitedTurn, limitTurn } from "../stop-matcher.ts";
import { assertAnswered, toMessage } from "./answer.ts";
import type { AnthropicDoorOptions } from "./door-options.ts";
import { followTurn } from "./follow-turn.ts";
import { parseMessagesRequest } from "./request.ts";
import { createMessageStream, type MessageStreamOptions, PING } from "./stream.ts";

interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly options: AnthropicDoorOptions;
}

/** Start the turn and answer with it. Throws what goes wrong before the first word; the error handler shows it. */
export async function serveMessage(exchange: Exchange): Promise<FastifyReply> {
  const { request, reply, options } = exchange;
  const { caller, signal: server } = requestContextOf(request);
  const signal = AbortSignal.any([clientGone(reply.raw), server]);
  const { request: door, stream } = parseMessagesRequest(request.body, request.headers);
  const turn = limitTurn(await options.desk.open(door, caller), { ...door, gap: "" });
  let isAnswered = false;
  try {
    const shape: MessageStreamOptions = {
      id: `msg_${options.newId()}`,
      model: turn.model,
      count: countAnswer(door, turn),
      showActivity: options.showActivity,
    };
    const ignored = ignoredHeader(door);
    if (ignored !== undefined) reply.header(IGNORED_HEADER, ignored);
    reply
      .header("request-id", request.id)
      .header("x-caret-session", turn.sessionId)
      .header("x-caret-turn", turn.turnId);
    if (stream) await sendStream(exchange, turn, shape, signal);
    else await sendWhole(exchange, turn, shape, signal);
    isAnswered = !signal.aborted;
    return reply;
  } finally {
    turn.leave(isAnswered ? "answered" : "gone");
  }
}

async function sendWhole(
  { reply }: Exchange,
  turn: LimitedTurn,
  shape: MessageStreamOptions,
  signal: AbortSignal,
): Promise<void> {
  const events: AgentEvent[] = [];
  // What the stream would have written is not needed, but it knows which calls wait and how the turn ended.
  const progress = createMessageStream(shape);
  const end = await followTurn(turn, progress, signal, (batch) => {
    progress.push(batch);
    for (const event of batch) events.push(event);
  });
  const message = toMessage(events, end, shape);
  if (message.usage.caret_estimated) reply.header("x-caret-estimated", "true");
  await reply.send(message);
}

/**
 * The head is held back until there is something to say, at most as long as a stream may be silent: a turn that fails
 * before its first word is then answered with an honest status, which clients understand better than an error in a stream.
 */
async function sendStream(
  { request, reply, options }: Exchange,
  turn: LimitedTurn,
  shape: MessageStreamOptions,
  signal: AbortSignal,
): Promise<void> {
  const stream = createMessageStream(shape);
  const { signal: server, meter } = requestContextOf(request);
  const { keepAliveMs } = options;
  let sse: SseWriter | undefined;

  function open(): SseWriter {
    if (sse !== undefined) return sse;
    sse = openSse(reply, { signal: server, keepAliveMs, keepAlive: PING, meter });
    // Small, and nothing is before it: it cannot have to wait.
    void sse.write(stream.start());
    return sse;
  }

  const patience = setTimeout(open, keepAliveMs);
  try {
    const end = await followTurn(turn, stream, signal, (batch) => {
      const text = stream.push(batch);
      return text === "" ? undefined : open().write(text);
    });
    if (sse === undefined) assertAnswered(end);
    await open().write(stream.finish(end));
  } finally {
    clearTimeout(patience);
    sse?.end();
  }
}
