import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { docsPolicy, toDocsPage } from "./admin-routes.ts";
import { buildOpenApi } from "./openapi.ts";
import { routeDescriptions } from "./route-descriptions.ts";

const described = Object.keys(routeDescriptions).map((key) => {
  const [method = "", url = ""] = key.split(" ");
  return { method, url };
});

it("lists every route it is given, described or not, with its parameters", () => {
  const { paths } = buildOpenApi([...described, { method: "GET", url: "/v2/things/:id/parts/:part" }], "1.2.3");
  const listed = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const expected = described.map(
    ({ method, url }) => `${method} ${url.replace("*", "{id}").replaceAll(/:(\w+)/g, "{$1}")}`,
  );
  expect(listed.toSorted()).toEqual([...expected, "GET /v2/things/{id}/parts/{part}"].toSorted());
  expect(paths["/v2/things/{id}/parts/{part}"]?.["get"]?.["parameters"]).toEqual([
    { name: "id", in: "path", required: true, schema: { type: "string" } },
    { name: "part", in: "path", required: true, schema: { type: "string" } },
  ]);
});

it("says which routes need no token", () => {
  const routes = [
    { method: "GET", url: "/icon.svg", isPublic: true },
    { method: "GET", url: "/metrics", isPublic: false },
  ];
  const { paths } = buildOpenApi(routes, "1.2.3");
  const told = Object.entries(paths).map(([path, { get }]) => [path, get?.summary, get?.["security"]]);
  expect(told).toEqual([
    ["/icon.svg", "A file of the web page", []],
    ["/metrics", "Numbers for Prometheus", undefined],
  ]);
});

it("shows the document as a page that loads and runs nothing", () => {
  const document = buildOpenApi([{ method: "GET", url: '/<script>alert("1")</script>' }], "1.2.3");
  const page = toDocsPage(document);
  const [, style = ""] = /<style>(.*)<\/style>/s.exec(page) ?? [];
  const digest = createHash("sha256").update(style).digest("base64");
  expect([page.includes("<script"), page.includes("GET /&lt;script&gt;"), /(?:src|https?:)/.test(page)]).toEqual([
    false,
    true,
    false,
  ]);
  expect(docsPolicy).toBe(
    `default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});
