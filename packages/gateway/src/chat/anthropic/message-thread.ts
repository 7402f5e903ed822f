import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";

const continuedSchema = z.looseObject({
  thread: z.looseObject({ type: z.literal("continue"), previous_message_id: z.string() }),
});

/**
 * Anthropic's servers keep a thread's messages, so that a client may send only what is new, without its tools. Nothing of
 * the kind is kept here. The refusal has the words by which the official client knows that it must send everything: it
 * then does so by itself, and what it sends is recognised as always.
 */
export async function refuseContinuedThread(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { success, data } = continuedSchema.safeParse(request.body);
  if (!success) return;
  const message = `The thread of ${JSON.stringify(data.thread.previous_message_id.slice(0, 100))} is not kept here: send all of its messages.`;
  const error = { type: "not_found_error", message, code: "not-found", details: { error_code: "thread_not_found" } };
  await reply
    .code(404)
    .headers({ "request-id": request.id, "x-should-retry": "false" })
    .send({ type: "error", error, request_id: request.id });
}
