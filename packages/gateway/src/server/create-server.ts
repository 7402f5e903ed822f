import type { IncomingMessage } from "node:http";
import { CaretError, type Tracer } from "@caret/protocol";
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyPluginAsync,
  type FastifyReply,
  type FastifyRequest,
  fastify,
  LogController,
} from "fastify";
import { createGate, type Gate } from "../access/gate.ts";
import { createLiveRequests, drain } from "../access/live-requests.ts";
import type { TokenStore } from "../access/token-store.ts";
import { adminRoutes } from "../admin/admin-routes.ts";
import { createServerMetrics, type Metrics } from "../admin/metrics.ts";
import type { ListedRoute } from "../admin/openapi.ts";
import type { Readiness } from "../admin/readiness.ts";
import { watchConnections } from "../http/connections.ts";
import { errorHandler } from "../http/error-handler.ts";
import { tameJson } from "../http/tame-json.ts";
import { asksForSocket, openWebSockets } from "../http/web-sockets.ts";
import { toErrorReply } from "./error-response.ts";
import { missingRoute } from "./missing-route.ts";
import { defaultLimits, type ServerLimits } from "./server-limits.ts";
import { traceRequests } from "./trace-requests.ts";

export interface ServerOptions {
  /** The protocols to serve: each a plugin with its routes and its error handler. */
  readonly doors: readonly FastifyPluginAsync[];
  readonly tokens: TokenStore;
  /** Allowed Host names besides loopback. */
  readonly hosts?: readonly string[];
  /** Allowed origins besides our own. */
  readonly origins?: readonly string[];
  readonly limits?: Partial<ServerLimits>;
  readonly readiness: () => Promise<Readiness>;
  readonly metrics: Metrics;
  /** If absent, requests are not traced. */
  readonly tracer?: Tracer | undefined;
  readonly version: string;
  /** How a person starts Caret on this machine, such as `caret`. */
  readonly command: string;
  readonly newId: () => string;
  readonly log?: GatewayLog;
}

/** The gateway's log. Fastify also gets it, for its requests. */
export type GatewayLog = FastifyBaseLogger;

const SAFE_HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** For failures outside any door. */
const showError = errorHandler(({ info, status, request }) => {
  const shown = toErrorReply(info, destinationOf(request));
  return { ...shown, status: status ?? shown.status };
});

/** The gateway's HTTP server, not yet listening. `close` lets running answers finish for a while. */
export function createServer(options: ServerOptions): FastifyInstance {
  const limits = { ...defaultLimits, ...options.limits };
  const { tokens, metrics, tracer, hosts = [], origins = [] } = options;
  const routes: ListedRoute[] = [];
  const live = createLiveRequests(tokens);
  const counted = createServerMetrics(metrics, { live, stuckMs: limits.stuckReaderMs });
  const plainGate = createGate({ hosts, origins, tokens, live, meter: counted.meter });
  const gate = tracer === undefined ? plainGate : traceRequests(plainGate, tracer);
  const app = createApp(options, limits, gate);
  app.decorate("command", options.command);

  app.addHook("onRoute", ({ method, url, config = {} }) => {
    const { access, mediaType, doc } = config;
    for (const name of [method].flat())
      routes.push({ method: name, url, isPublic: access === "public", mediaType, doc });
  });
  // These are synchronous and call back: a promise for each would delay every request by a few rounds of the event loop.
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers(SAFE_HEADERS).header("x-request-id", request.id);
    counted.watch(reply.raw, request.method, request.routeOptions.url);
    gate(request, reply);
    // Before its body is read, since nothing would take it.
    if (request.is404) showMissing(routes, request, reply);
    else done();
  });
  app.addHook("preValidation", ({ body, routeOptions }, _reply, done) => {
    if (routeOptions.config.mediaType === undefined) tameJson(body);
    done();
  });
  app.addHook("onSend", readOn);
  // Node has detached a connection with an upgrade request. If rejected, it would stay open forever.
  app.addHook("onResponse", ({ raw }, _reply, done) => {
    if ("upgrade" in raw && raw.upgrade === true) raw.socket.destroySoon();
    done();
  });
  app.addHook("preClose", async () => drain(app.server, live, limits.drainMs));
  app.setErrorHandler(showError);
  app.setNotFoundHandler((request, reply) => showMissing(routes, request, reply));
  openWebSockets(app, limits.bodyBytes);
  app.register(adminRoutes({ ...options, routes }));
  for (const door of options.doors) app.register(door);
  return app;
}

function createApp({ log, newId }: ServerOptions, limits: ServerLimits, gate: Gate): FastifyInstance {
  const app: FastifyInstance = fastify({
    // Not as the server's instance: Fastify would load pino for it.
    ...(log === undefined ? {} : { childLoggerFactory: (_none, bindings) => log.child(bindings) }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.idleConnectionMs,
    forceCloseConnections: "idle",
    exposeHeadRoutes: false,
    // Routes parse their requests with zod and have no Fastify schemas, so its compilers need not be loaded.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // `tameJson` removes prototypes from the parsed body; Fastify would search the text for them.
    onProtoPoisoning: "ignore",
    onConstructorPoisoning: "ignore",
    // An invalid URL reaches no hook, so it goes through the gate here.
    frameworkErrors: (error, request, reply) => {
      const refused = (reason: unknown) => showError(reason, request, reply);
      try {
        gate(request, reply);
      } catch (reason) {
        return refused(reason);
      }
      return refused(error);
    },
    genReqId: (request: IncomingMessage) => requestIdOf(request) ?? withoutDigits(newId()),
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: Math.min(limits.headersMs, limits.requestMs),
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: Math.min(1000, limits.headersMs),
      // Some clients offer an upgrade (to h2c) with every request. Node would accept it and drop the body.
      shouldUpgradeCallback: (request: IncomingMessage) =>
        asksForSocket(request) && app.server.listenerCount("upgrade") > 0,
      // Our own check answers a missing Host like any other wrong one.
      requireHostHeader: false,
    },
  });
  app.server.maxConnections = limits.maxConnections;
  watchConnections(app.server);
  app.removeContentTypeParser("text/plain");
  return app;
}

function noSchemas(): never {
  throw new CaretError("internal", "A route was registered with a schema for Fastify; give it to read() or write()");
}

/**
 * On 413 Fastify would close the connection while the client is still sending, and the client would never read the error. So the rest of
 * the body is read and discarded, within the request time-out.
 */
async function readOn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (reply.statusCode !== 413) return;
  reply.removeHeader("connection");
  request.raw.resume();
}

/** The id is part of some error bodies, and OpenCode retries a request if it finds `500` or `429` anywhere in one. */
function withoutDigits(id: string): string {
  let text = "";
  for (const sign of id) text += sign >= "0" && sign <= "9" ? "ghijklmnop".charAt(Number(sign)) : sign;
  return text;
}

/** A client's own id for the request, if it is safe in logs and headers. */
function requestIdOf({ headers }: IncomingMessage): string | undefined {
  const id = headers["x-request-id"];
  return typeof id === "string" && /^[\w.-]{1,64}$/.test(id) ? id : undefined;
}

function showMissing(routes: readonly ListedRoute[], request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const destination = destinationOf(request);
  const { error, allow } = missingRoute(routes, request.method, destination.path);
  const { status, headers, body } = toErrorReply(error.toInfo(), destination);
  reply.headers(headers);
  if (allow.length === 0) return reply.code(status).send(body);
  return reply.code(405).header("allow", allow.join(", ")).send(body);
}

function destinationOf({ url, headers, id }: FastifyRequest) {
  const [path = ""] = url.split("?", 1);
  return { path, headers, requestId: id };
}
