import type { FastifyPluginAsync } from "fastify";
import type { Metrics } from "../server/metrics.ts";
import { docsPolicy, toDocsPage } from "./docs-page.ts";
import { buildOpenApi } from "./openapi.ts";
import { isReady, type Readiness } from "./readiness.ts";
import type { ListedRoute } from "./route-list.ts";

export interface AdminOptions {
  readonly version: string;
  /** How a person starts Caret on this machine, for pages that tell them to. */
  readonly command: string;
  readonly metrics: Metrics;
  /** Asked for every time: what could run a minute ago may be gone. */
  readonly readiness: () => Promise<Readiness>;
  /** Complete once the server is ready. */
  readonly routes: readonly ListedRoute[];
}

/** What is about the gateway itself. */
export function adminRoutes({ version, command, metrics, readiness, routes }: AdminOptions): FastifyPluginAsync {
  return async (app) => {
    app.head("/", { config: { access: "public" } }, (_request, reply) => reply.send());
    app.head("/api/hello", { config: { access: "public" } }, (_request, reply) => reply.send());
    app.get("/healthz", { config: { access: "public" } }, (_request, reply) => reply.send({ ok: true, command }));
    app.get("/readyz", { config: { access: "any-token" } }, async (_request, reply) => {
      const report = await readiness();
      const ready = isReady(report);
      return reply.code(ready ? 200 : 503).send({ ready, ...report });
    });
    app.get("/metrics", { config: { access: "metrics" } }, (_request, reply) =>
      reply.type("text/plain; version=0.0.4; charset=utf-8").send(metrics.render()),
    );
    app.get("/openapi.json", { config: { access: "browser" } }, (_request, reply) =>
      reply.send(buildOpenApi(routes, version)),
    );
    app.get("/docs", { config: { access: "browser" } }, (_request, reply) =>
      reply
        .type("text/html; charset=utf-8")
        .header("content-security-policy", docsPolicy)
        .send(toDocsPage(buildOpenApi(routes, version))),
    );
  };
}
