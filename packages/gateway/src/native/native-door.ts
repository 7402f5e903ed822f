import type { FastifyPluginAsync } from "fastify";
import { errorHandler } from "../http/error-handler.ts";
import { agentRoutes } from "./agent-routes.ts";
import { changeRoutes } from "./change-routes.ts";
import { comparisonRoutes } from "./comparison-routes.ts";
import { editorRoutes } from "./editor-routes.ts";
import { toNativeReply } from "./errors.ts";
import { eventRoutes } from "./event-routes.ts";
import { eventSocket } from "./event-socket.ts";
import { gatewayRoutes } from "./gateway-routes.ts";
import { createIdempotency } from "./idempotency.ts";
import { logRoutes } from "./log-routes.ts";
import type { NativeDoorOptions } from "./native-door-options.ts";
import { queueRoutes } from "./queue-routes.ts";
import { sessionRoutes } from "./session-routes.ts";
import { settingsRoutes } from "./settings-routes.ts";
import { signInRoutes } from "./sign-in-routes.ts";
import { turnRoutes } from "./turn-routes.ts";

/** `/api/…`: the native API, for the web page and for programs. */
export function nativeDoor(options: NativeDoorOptions): FastifyPluginAsync {
  const { sessions, comparisons, keepAliveMs, sinceMs, now } = options;
  return async (app) => {
    const idempotency = createIdempotency({ now, findCommand: (name) => sessions.findCommand(name) });
    const closing = new AbortController();
    app.setErrorHandler(errorHandler(toNativeReply));
    app.addHook("preClose", async () => closing.abort());
    const native = { app, idempotency };
    const stream = { sessions, keepAliveMs, closing: closing.signal };
    eventSocket(app, { ...stream, sinceMs });
    sessionRoutes(native, sessions);
    turnRoutes(native, sessions);
    changeRoutes(native, sessions);
    if (options.agents !== undefined) {
      agentRoutes(native, options.agents);
      queueRoutes(native, options.agents);
    }
    logRoutes(native, sessions);
    eventRoutes(native, stream);
    editorRoutes(native, stream);
    comparisonRoutes(native, { comparisons, keepAliveMs, closing: closing.signal });
    gatewayRoutes(native, options);
    settingsRoutes(native, options);
    signInRoutes(native, options);
  };
}
