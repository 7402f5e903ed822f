import { CaretError, type ErrorInfo } from "@caret/protocol";

/** A worker's answer: the value, or the error for the gateway to throw. */
export type Reply = { readonly ok: unknown } | { readonly error: ErrorInfo };

export async function replyOf(work: () => Promise<unknown>): Promise<Reply> {
  try {
    return { ok: (await work()) ?? null };
  } catch (reason) {
    return { error: CaretError.from(reason).toInfo() };
  }
}

export function unwrapReply(reply: Reply): unknown {
  if ("ok" in reply) return reply.ok;
  throw CaretError.fromInfo(reply.error);
}
