import type { Tracer } from "@caret/protocol";
import type { FastifyReply } from "fastify";
import { accessOf, type Gate } from "../access/gate.ts";
import { requestContextOf, setRequestContext } from "../http/request-context.ts";

/** The beginning of a route's path, and its door. */
const doors = [
  ["/v1/chat/completions", "openai"],
  ["/v1/responses", "responses"],
  ["/v1/messages", "anthropic"],
  ["/v1/models", "models"],
  ["/mcp", "mcp"],
  ["/api", "native"],
] as const;

/**
 * The gate, with a span for each request it checks, including those it rejects. What the request starts is part of its trace. Skips what
 * anyone may fetch: pages, health checks.
 */
export function traceRequests(gate: Gate, tracer: Tracer): Gate {
  return (request, reply) => {
    const { url: route, config } = request.routeOptions;
    const access = accessOf(route, config.access);
    if (access === "public" || access === "browser") return gate(request, reply);
    const url = route ?? "none";
    const { traceparent } = request.headers;
    const span = tracer.start(`${request.method} ${url}`, {
      kind: "server",
      parent: typeof traceparent === "string" ? traceparent : undefined,
      attributes: { "http.request.method": request.method, "http.route": url, "caret.door": doorOf(url) },
    });
    reply.raw.once("close", () => {
      const { attributes, isFailed } = endOf(reply);
      span.set(attributes);
      span.end({ isFailed });
    });
    gate(request, reply);
    const context = requestContextOf(request);
    setRequestContext(request, { ...context, caller: { ...context.caller, traceparent: span.traceparent } });
  };
}

/** A client that left before its answer began has seen no status. */
function endOf({ raw }: FastifyReply) {
  if (!raw.headersSent) return { attributes: { "caret.client.gone": true }, isFailed: true };
  const isGone = !raw.writableFinished;
  return {
    attributes: { "http.response.status_code": raw.statusCode, ...(isGone ? { "caret.client.gone": true } : {}) },
    isFailed: raw.statusCode >= 500,
  };
}

function doorOf(url: string): string {
  return doors.find(([path]) => url === path || url.startsWith(`${path}/`))?.[1] ?? "other";
}
