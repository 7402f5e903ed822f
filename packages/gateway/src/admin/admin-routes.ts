import { createHash } from "node:crypto";
import { escapeHtml } from "@caret/protocol";
import type { FastifyPluginAsync } from "fastify";
import type { Metrics } from "./metrics.ts";
import { buildOpenApi, type ListedRoute, type OpenApiDocument, type OpenApiOperation } from "./openapi.ts";
import { isReady, type Readiness } from "./readiness.ts";

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;background:#fff}" +
  "code{font-family:ui-monospace,monospace}table{border-collapse:collapse;width:100%}" +
  "td{border-top:1px solid #ddd;padding:.4rem .8rem .4rem 0;vertical-align:top}" +
  "@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}td{border-color:#333}a{color:#8ab4f8}}";

/** Lets nothing load or run except the inline style above. */
export const docsPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A browser sends its cookie with requests from other pages of this host: they must not get anything out of the answers. */
const DOCUMENT_HEADERS = { "cross-origin-resource-policy": "same-origin", "x-frame-options": "DENY" };

interface AdminOptions {
  readonly version: string;
  /** How a person starts Caret on this machine, such as `caret`. */
  readonly command: string;
  readonly metrics: Metrics;
  /** Checked on every request: a program that was there a minute ago may be gone. */
  readonly readiness: () => Promise<Readiness>;
  /** Complete once the server is ready. */
  readonly routes: readonly ListedRoute[];
}

/** The gateway's health, metrics and documentation. */
export function adminRoutes({ version, command, metrics, readiness, routes }: AdminOptions): FastifyPluginAsync {
  return async (app) => {
    app.head(
      "/",
      { config: { access: "public", doc: { summary: "Check that the gateway answers" } } },
      (_request, reply) => reply.send(),
    );
    app.head(
      "/api/hello",
      { config: { access: "public", doc: { summary: "Check that the gateway answers, as Claude Code does" } } },
      (_request, reply) => reply.send(),
    );
    app.get(
      "/healthz",
      { config: { access: "public", doc: { summary: "Liveness: ok while the gateway runs" } } },
      (_request, reply) => reply.send({ ok: true, command }),
    );
    app.get(
      "/readyz",
      {
        config: {
          access: "any-token",
          doc: { summary: "Readiness: which lanes could run a turn now, and whether its events can be written" },
        },
      },
      async (_request, reply) => {
        const report = await readiness();
        const ready = isReady(report);
        return reply.code(ready ? 200 : 503).send({ ready, ...report });
      },
    );
    app.get(
      "/metrics",
      { config: { access: "metrics", doc: { summary: "Metrics for Prometheus" } } },
      (_request, reply) => reply.type("text/plain; version=0.0.4; charset=utf-8").send(metrics.render()),
    );
    app.get("/openapi.json", { config: { access: "browser", doc: { summary: "This document" } } }, (_request, reply) =>
      reply.headers(DOCUMENT_HEADERS).send(buildOpenApi(routes, version)),
    );
    app.get(
      "/docs",
      { config: { access: "browser", doc: { summary: "This document as a page" } } },
      (_request, reply) =>
        reply
          .type("text/html; charset=utf-8")
          .headers({ ...DOCUMENT_HEADERS, "content-security-policy": docsPolicy })
          .send(toDocsPage(buildOpenApi(routes, version))),
    );
  };
}

/** The OpenAPI document as an HTML page. */
export function toDocsPage({ info, paths }: OpenApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => toRow(method, path, operation)),
  );
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(info.title)}</title><style>${STYLE}</style></head>`,
    `<body><h1>${escapeHtml(info.title)} ${escapeHtml(info.version)}</h1><p>${escapeHtml(info.description)}</p>`,
    "<p>Send a token with every request, as <code>Authorization: Bearer …</code> or as <code>x-api-key</code>.</p>",
    `<table>${rows.join("")}</table>`,
    '<p><a href="openapi.json">openapi.json</a></p></body></html>\n',
  ].join("\n");
}

function toRow(method: string, path: string, operation: OpenApiOperation): string {
  const address = `${method.toUpperCase()} ${path}`;
  const fields = [
    ["Query", parameterNames(operation)],
    ["Body", bodyFields(operation)],
  ] as const;
  const details = fields.flatMap(([title, names]) =>
    names.length === 0 ? [] : [`<br>${title}: ${names.map((name) => `<code>${escapeHtml(name)}</code>`).join(" ")}`],
  );
  return `<tr><td><code>${escapeHtml(address)}</code></td><td>${escapeHtml(operation.summary)}${details.join("")}</td></tr>`;
}

function parameterNames({ parameters }: OpenApiOperation): readonly string[] {
  const all = (parameters ?? []) as readonly { readonly in: string; readonly name: string }[];
  return all.filter((parameter) => parameter.in === "query").map(({ name }) => name);
}

/** The fields of a JSON body; optional ones have a question mark. */
function bodyFields({ requestBody }: OpenApiOperation): readonly string[] {
  const { schema } = (requestBody as JsonBody | undefined)?.content["application/json"] ?? {};
  return Object.keys(schema?.properties ?? {}).map((name) => (schema?.required?.includes(name) ? name : `${name}?`));
}

interface JsonBody {
  readonly content: Readonly<
    Record<string, { readonly schema?: { readonly properties?: object; readonly required?: readonly string[] } }>
  >;
}
