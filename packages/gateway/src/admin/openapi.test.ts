import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { z } from "zod";
import { docsPolicy, toDocsPage } from "./admin-routes.ts";
import { buildOpenApi } from "./openapi.ts";

it("lists a route without a summary by its method and path, with its path parameters", () => {
  const { paths } = buildOpenApi([{ method: "GET", url: "/v2/things/:thing/parts/*" }], "1.2.3");
  expect(paths["/v2/things/{thing}/parts/{id}"]?.["get"]).toMatchObject({
    summary: "GET /v2/things/:thing/parts/*",
    parameters: [
      { name: "thing", in: "path", required: true, schema: { type: "string" } },
      { name: "id", in: "path", required: true, schema: { type: "string" } },
    ],
  });
});

it("describes query, headers and body with the schemas that the route reads them with", () => {
  const doc = {
    summary: "Change a thing",
    query: z.object({ days: z.string().regex(/^\d+$/).transform(Number).default(30).describe("Days back") }),
    headers: z.object({ "last-event-id": z.string() }),
    body: z.object({ name: z.string().max(5), kind: z.enum(["a", "b"]).exactOptional() }),
    status: 202,
  };
  const { paths } = buildOpenApi([{ method: "PATCH", url: "/api/things", doc }], "1.2.3");
  expect(paths["/api/things"]?.["patch"]).toEqual({
    summary: "Change a thing",
    tags: ["gateway"],
    parameters: [
      {
        name: "days",
        in: "query",
        required: false,
        description: "Days back",
        schema: { type: "string", pattern: "^\\d+$" },
      },
      { name: "last-event-id", in: "header", required: true, schema: { type: "string" } },
    ],
    requestBody: {
      required: true,
      content: {
        "application/json": {
          schema: {
            type: "object",
            properties: { name: { type: "string", maxLength: 5 }, kind: { type: "string", enum: ["a", "b"] } },
            required: ["name"],
          },
        },
      },
    },
    responses: {
      202: { description: "The answer", content: { "application/json": {} } },
      401: { description: "No valid token" },
      403: { description: "Host or origin not allowed, or a token without the scope" },
      429: { description: "Too many requests at once; retry after the seconds in `retry-after`" },
    },
  });
});

it("says which routes need no token", () => {
  const routes = [
    { method: "GET", url: "/icon.svg", isPublic: true },
    { method: "GET", url: "/metrics", isPublic: false },
  ];
  const { paths } = buildOpenApi(routes, "1.2.3");
  const security = Object.entries(paths).map(([path, { get }]) => [path, get?.["security"]]);
  expect(security).toEqual([
    ["/icon.svg", []],
    ["/metrics", undefined],
  ]);
});

it("shows the document as a page that loads and runs nothing", () => {
  const document = buildOpenApi([{ method: "GET", url: '/<script>alert("1")</script>' }], "1.2.3");
  const page = toDocsPage(document);
  const [, style = ""] = /<style>(.*)<\/style>/s.exec(page) ?? [];
  const digest = createHash("sha256").update(style).digest("base64");
  expect({
    hasScript: page.includes("<script"),
    isEscaped: page.includes("GET /&lt;script&gt;"),
    loadsFromElsewhere: /(?:src|https?:)/.test(page),
  }).toEqual({ hasScript: false, isEscaped: true, loadsFromElsewhere: false });
  expect(docsPolicy).toBe(
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});
