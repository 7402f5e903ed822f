import type { FastifyPluginAsync } from "fastify";
import { answerWithError } from "./answer-with-error.ts";
import { eventRoutes } from "./event-routes.ts";
import { eventSocket } from "./event-socket.ts";
import { gatewayRoutes } from "./gateway-routes.ts";
import { createIdempotency } from "./idempotency.ts";
import { logRoutes } from "./log-routes.ts";
import type { NativeDoorOptions } from "./native-door-options.ts";
import { sessionRoutes } from "./session-routes.ts";
import { signInRoutes } from "./sign-in-routes.ts";
import { turnRoutes } from "./turn-routes.ts";

/** `/api/…`: sessions as they are, for the web page and for programs. */
export function nativeDoor(options: NativeDoorOptions): FastifyPluginAsync {
  const { desk, keepAliveMs, sinceMs, now } = options;
  return async (app) => {
    const idempotency = createIdempotency({ now, findCommand: (name) => desk.findCommand(name) });
    const closing = new AbortController();
    app.setErrorHandler(answerWithError);
    app.addHook("preClose", async () => closing.abort());
    await eventSocket(app, { desk, keepAliveMs, sinceMs, closing: closing.signal });
    sessionRoutes(app, desk, idempotency);
    turnRoutes(app, desk, idempotency);
    logRoutes(app, desk, idempotency);
    eventRoutes(app, { desk, keepAliveMs, closing: closing.signal });
    gatewayRoutes(app, options, idempotency);
    signInRoutes(app, options, idempotency);
  };
}
