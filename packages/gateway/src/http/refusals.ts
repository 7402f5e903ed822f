import { CaretError } from "@caret/protocol";

interface KnownError {
  readonly error: CaretError;
  /** A more specific status than our code's, such as for a wrong content type. */
  readonly status?: number;
}

/** Fastify's own refusals (bad JSON, a body too large, the wrong content type) carry a status and a suitable message. */
export function toKnownError(reason: unknown): KnownError {
  if (CaretError.is(reason)) return { error: reason };
  const status = clientFaultOf(reason);
  if (status === undefined || !(reason instanceof Error)) return { error: CaretError.from(reason) };
  const code = status === 413 ? "too-large" : "invalid-request";
  return { error: new CaretError(code, sentence(reason.message), { cause: reason }), status };
}

/** A refusal with a more specific status than any of our codes. Fastify and the doors read `statusCode`. */
export function refusalWith(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}

function clientFaultOf(reason: unknown): number | undefined {
  const status = reason instanceof Error && "statusCode" in reason ? reason.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status < 500 ? status : undefined;
}

function sentence(message: string): string {
  return message.endsWith(".") ? message : `${message}.`;
}
