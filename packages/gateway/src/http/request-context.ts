import type { IncomingMessage } from "node:http";
import { type Caller, CaretError } from "@caret/protocol";

/** Metrics of a stream, and its time-out for stuck readers. */
export interface StreamMeter {
  /** How long a client may read nothing. Default: the writer's own. */
  readonly stuckMs?: number;
  opened(): void;
  wrote(bytes: number): void;
  /** The reader was stuck for too long and was disconnected. */
  cut(): void;
  closed(): void;
}

/** What the server knows about an admitted request. */
export interface RequestContext {
  readonly caller: Caller;
  /** Aborts when the answer has to end early: the server shuts down, or the caller's token was revoked. */
  readonly signal: AbortSignal;
  readonly meter?: StreamMeter;
}

/** Anything that wraps Node's own request, as Fastify's does. */
interface Wrapped {
  readonly raw: IncomingMessage;
}

const contexts = new WeakMap<IncomingMessage, RequestContext>();

/** The server calls it for every request it admits; tests of a single door call it in a hook. */
export function setRequestContext(request: Wrapped, context: RequestContext): void {
  contexts.set(request.raw, context);
}

/** Fails closed: a request that bypassed the gate is rejected. */
export function requestContextOf(request: Wrapped): RequestContext {
  const context = contexts.get(request.raw);
  if (context === undefined) throw new CaretError("unauthenticated", "This request was not admitted by the server");
  return context;
}
