import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ListedRoute } from "../admin/openapi.ts";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { ScriptedSessions } from "../native/testing/scripted-sessions.ts";
import { exchange, type StartedServer, startServer, statusOf } from "../server/testing/start-server.ts";

const conversations = scriptedConversations(telling(...saying("hello")));
const sessions = new ScriptedSessions();
let server: StartedServer;

beforeAll(async () => {
  sessions.addSession("1");
  sessions.append("1", [{ type: "text-start", blockId: "b" }], "{}");
  server = await startServer(conversations, { sessions });
  server.tokens.set("old", { name: "old", scopes: ["admin"] });
  server.tokens.delete("old");
});
afterAll(() => server.app.close());

interface Bad {
  readonly status: number;
  /** Header lines that replace the good ones of the same name; just a name removes it. */
  readonly headers?: readonly string[];
  readonly target?: (path: string) => string;
}

/** Valid at every door of another protocol, and at our own. */
const foreignBody = JSON.stringify({ model: "auto", messages: [{ role: "user", content: "hello" }], input: "hello" });
const nativeBody = JSON.stringify({
  prompt: "hello",
  text: "hello",
  decision: "approved",
  door: "openai",
  name: "a",
  code: "never-opened",
  path: "/srv/project",
  servers: [],
});
const own = (): string => `127.0.0.1:${server.port}`;

const credentials: Record<string, Bad> = {
  "no token": { status: 401, headers: ["Authorization"] },
  "a wrong token": { status: 401, headers: ["Authorization: Bearer bad"] },
  "a token with something added": { status: 401, headers: ["Authorization: Bearer bosss"] },
  "the beginning of a token": { status: 401, headers: ["Authorization: Bearer bos"] },
  "an empty bearer token": { status: 401, headers: ["Authorization: Bearer "] },
  "a token without its scheme": { status: 401, headers: ["Authorization: boss"] },
  "another scheme": { status: 401, headers: ["Authorization: Basic Ym9zczpub2JvZHk="] },
  "a revoked token": { status: 401, headers: ["Authorization: Bearer old"] },
  "an empty key": { status: 401, headers: ["Authorization", "x-api-key: "] },
  "a wrong key": { status: 401, headers: ["Authorization", "x-api-key: bad"] },
  "a wrong token beside a right key": { status: 401, headers: ["Authorization: Bearer bad", "x-api-key: boss"] },
  "a token in the address": { status: 401, headers: ["Authorization"], target: (path) => `${path}?token=boss` },
  "a token in a cookie": { status: 401, headers: ["Authorization", "Cookie: token=boss"] },
  "a token in the page's cookie": { status: 401, headers: ["Authorization", "Cookie: caret_page=boss"] },
  "a page's key without its cookie": { status: 401, headers: ["Authorization", "x-caret-page: boss"] },
  "halves that do not fit": {
    status: 401,
    headers: ["Authorization", "Cookie: caret_page=12345678", "x-caret-page: 12345678"],
  },
  "a scope it gives itself": { status: 401, headers: ["Authorization", "x-caret-scopes: admin"] },
};

const hosts: Record<string, () => Bad> = {
  "a stranger's host": () => ({ status: 403, headers: ["Host: evil.test"] }),
  "a stranger's host with our port": () => ({ status: 403, headers: [`Host: evil.test:${server.port}`] }),
  "a host that begins like ours": () => ({ status: 403, headers: [`Host: localhost.evil.test:${server.port}`] }),
  "a host with a trailing dot": () => ({ status: 403, headers: [`Host: localhost.:${server.port}`] }),
  "our host without its port": () => ({ status: 403, headers: ["Host: localhost"] }),
  "our host with another port": () => ({ status: 403, headers: ["Host: localhost:1"] }),
  "no host": () => ({ status: 403, headers: ["Host"] }),
  "two hosts": () => ({ status: 403, headers: [`Host: ${own()}`, "Host: evil.test"] }),
  "a whole address as target": () => ({ status: 403, target: (path) => `http://${own()}${path}` }),
  "a stranger's address as target": () => ({ status: 403, target: (path) => `http://evil.test${path}` }),
  "a foreign origin": () => ({ status: 403, headers: ["Origin: https://evil.test"] }),
  "an origin that is null": () => ({ status: 403, headers: ["Origin: null"] }),
  "an origin on another port": () => ({ status: 403, headers: ["Origin: http://localhost:1"] }),
  "an origin like ours over https": () => ({ status: 403, headers: [`Origin: https://${own()}`] }),
};

const contentTypes: Record<string, Bad> = {
  "no content type": { status: 415, headers: ["Content-Type"] },
  "plain text": { status: 415, headers: ["Content-Type: text/plain"] },
  "a form": { status: 415, headers: ["Content-Type: application/x-www-form-urlencoded"] },
  "a form with files": { status: 415, headers: ["Content-Type: multipart/form-data; boundary=x"] },
  "a compressed body": { status: 415, headers: ["Content-Encoding: gzip"] },
};

const publicRoutes = ["GET /", "HEAD /", "HEAD /api/hello", "GET /healthz", "GET /assets/*", "POST /api/sign-in"];
const isPublic = ({ method, url }: ListedRoute): boolean => publicRoutes.includes(`${method} ${url}`);
const hasBody = ({ method }: ListedRoute): boolean => method === "POST" || method === "PATCH";
const mediaTypeOf = ({ url }: ListedRoute): string =>
  url === "/api/sessions/import" ? "application/x-ndjson" : "application/json";

function badRequestsFor(route: ListedRoute): [string, Bad][] {
  return [
    ...Object.entries(hosts).map(([name, bad]): [string, Bad] => [name, bad()]),
    ...(isPublic(route) ? [] : Object.entries(credentials)),
    ...(hasBody(route) ? Object.entries(contentTypes) : []),
  ];
}

function send(route: ListedRoute, { headers = [], target = (path) => path }: Partial<Bad>): Promise<string> {
  const { method, url } = route;
  const replaced = headers.map((line) => line.split(":", 1)[0]?.toLowerCase());
  const withBody = hasBody(route);
  const body = url.startsWith("/api/") ? nativeBody : foreignBody;
  const good = [
    `Host: ${own()}`,
    "Authorization: Bearer boss",
    "Connection: close",
    ...(withBody ? [`Content-Type: ${mediaTypeOf(route)}`, `Content-Length: ${body.length}`] : []),
  ].filter((line) => !replaced.includes(line.split(":", 1)[0]?.toLowerCase()));
  const lines = [...good, ...headers.filter((line) => line.includes(":"))];
  const path = url.replace("/assets/*", "/assets/a.js").replace("*", "auto").replaceAll(/:\w+/g, "1");
  return exchange(
    server.port,
    `${method} ${target(path)} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${withBody ? body : ""}`,
  );
}

it("knows the routes from the router itself", () => {
  expect(server.routes.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual([
    "DELETE /api/comparisons/:id",
    "DELETE /api/sessions/:id",
    "DELETE /api/sessions/:id/grants/:grantId",
    "DELETE /v1/responses/:id",
    "GET /",
    "GET /api/about",
    "GET /api/budget",
    "GET /api/commands",
    "GET /api/comparisons",
    "GET /api/comparisons/:id",
    "GET /api/comparisons/:id/stream",
    "GET /api/doctor",
    "GET /api/files",
    "GET /api/fleet",
    "GET /api/models",
    "GET /api/search",
    "GET /api/sessions",
    "GET /api/sessions/:id",
    "GET /api/sessions/:id/changes",
    "GET /api/sessions/:id/editor",
    "GET /api/sessions/:id/events",
    "GET /api/sessions/:id/export",
    "GET /api/sessions/:id/grants",
    "GET /api/sessions/:id/images/:name",
    "GET /api/sessions/:id/log",
    "GET /api/sessions/:id/raw/:seq",
    "GET /api/sessions/:id/socket",
    "GET /api/sessions/stream",
    "GET /api/settings",
    "GET /api/symbols",
    "GET /api/usage",
    "GET /assets/*",
    "GET /docs",
    "GET /healthz",
    "GET /metrics",
    "GET /openapi.json",
    "GET /readyz",
    "GET /v1/models",
    "GET /v1/models/*",
    "GET /v1/responses",
    "GET /v1/responses/:id",
    "GET /v1/responses/:id/input_items",
    "HEAD /",
    "HEAD /api/hello",
    "PATCH /api/sessions/:id",
    "PATCH /api/settings",
    "POST /api/comparisons",
    "POST /api/comparisons/:id/pick",
    "POST /api/connect/test",
    "POST /api/links",
    "POST /api/sessions",
    "POST /api/sessions/:id/approvals/:requestId",
    "POST /api/sessions/:id/changes/commit",
    "POST /api/sessions/:id/changes/discard",
    "POST /api/sessions/:id/editor/:requestId",
    "POST /api/sessions/:id/fork",
    "POST /api/sessions/:id/questions/:requestId",
    "POST /api/sessions/:id/servers",
    "POST /api/sessions/:id/turns",
    "POST /api/sessions/:id/turns/:turnId/cancel",
    "POST /api/sessions/:id/turns/:turnId/steer",
    "POST /api/sessions/import",
    "POST /api/settings/webhook/test",
    "POST /api/sign-in",
    "POST /api/sign-out",
    "POST /api/tokens",
    "POST /api/workspaces",
    "POST /api/workspaces/sample",
    "POST /v1/chat/completions",
    "POST /v1/messages",
    "POST /v1/messages/count_tokens",
    "POST /v1/responses",
    "POST /v1/responses/:id/cancel",
    "POST /v1/responses/compact",
    "POST /v1/responses/input_tokens",
  ]);
});

it("refuses every bad request at every route, and the conversations sees none of them", async () => {
  const wrong: string[] = [];
  for (const route of server.routes) {
    const requests = badRequestsFor(route);
    const answers = await Promise.all(requests.map(([, bad]) => send(route, bad)));
    for (const [index, [name, bad]] of requests.entries()) {
      const status = statusOf(answers[index] ?? "");
      if (status !== bad.status) wrong.push(`${route.method} ${route.url} with ${name}: ${status}`);
    }
    if (!isPublic(route)) expect(requests.length).toBeGreaterThanOrEqual(15);
  }
  expect(wrong).toEqual([]);
  expect([conversations.opened, sessions.asked, sessions.followers]).toEqual([[], [], 0]);
});

it.each([
  ["does not exist", "/nowhere", 404],
  ["cannot be read", "/v1/%zz", 400],
])("refuses a bad request at a path that %s just the same", async (_name, url, status) => {
  const nowhere = { method: "GET", url };
  const answers = await Promise.all(
    badRequestsFor(nowhere).map(async ([, bad]) => statusOf(await send(nowhere, bad)) === bad.status),
  );
  expect({ areAllAnswered: answers.every(Boolean), next: statusOf(await send(nowhere, {})) }).toEqual({
    areAllAnswered: true,
    next: status,
  });
});

it("allows no foreign page to read anything", async () => {
  const answer = await send({ method: "OPTIONS", url: "/v1/messages" }, { headers: ["Origin: https://evil.test"] });
  expect({ status: statusOf(answer), hasCorsHeaders: /access-control/i.test(answer) }).toEqual({
    status: 403,
    hasCorsHeaders: false,
  });
});

describe("a good request", () => {
  it("gets in at every route", async () => {
    const odd: Record<string, number> = {
      "GET /api/commands": 400, // without its query
      "GET /api/files": 400,
      "GET /api/fleet": 404, // not in a fleet
      "GET /api/search": 400,
      "GET /api/symbols": 400,
      "POST /api/sessions/:id/changes/commit": 400, // without a message
      "POST /api/sessions/:id/changes/discard": 400, // without a hunk
      "PATCH /api/settings": 400, // without changes
      "GET /api/sessions/:id/socket": 426,
      "POST /api/sign-in": 401, // with a code that was never opened
      "POST /api/comparisons": 400, // without models
      "POST /api/comparisons/:id/pick": 400, // without a candidate
      "GET /api/comparisons/:id": 404, // does not exist
      "GET /api/comparisons/:id/stream": 404,
      "DELETE /api/comparisons/:id": 404,
      "GET /v1/responses": 426,
      "GET /v1/responses/:id": 404, // none is stored
      "GET /v1/responses/:id/input_items": 404,
      "POST /v1/responses/:id/cancel": 404,
      "DELETE /v1/responses/:id": 404,
      "POST /v1/responses/compact": 422, // there is no key to seal with
    };
    const made = { POST: [200, 201, 202, 204], PATCH: [200], DELETE: [204], GET: [200], HEAD: [200] };
    const wrong: string[] = [];
    // Deletes last: other requests need what they delete.
    for (const route of server.routes.toSorted(
      (a, b) => Number(a.method === "DELETE") - Number(b.method === "DELETE"),
    )) {
      const name = `${route.method} ${route.url}`;
      const status = statusOf(await send(route, {}));
      const expected = odd[name] === undefined ? made[route.method as keyof typeof made] : [odd[name]];
      if (!expected.includes(status)) wrong.push(`${name}: ${status}`);
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ["with Anthropic's header", ["Authorization", "x-api-key: boss"]],
    ["from our own page", () => [`Origin: http://${own()}`]],
    ["by the name localhost", () => [`Host: localhost:${server.port}`]],
    ["with a charset", ["Content-Type: application/json; charset=utf-8"]],
  ])("gets in %s", async (_name, headers) => {
    const lines = typeof headers === "function" ? headers() : headers;
    expect(statusOf(await send({ method: "POST", url: "/v1/messages" }, { headers: lines }))).toBe(200);
  });
});

it.each([
  ["a token for turns", "good", "POST", "/v1/messages", 200],
  ["a token for turns", "good", "GET", "/metrics", 403],
  ["a token for turns", "good", "GET", "/readyz", 200],
  ["a token for turns and models", "good", "GET", "/v1/models", 200],
  ["a token for metrics", "meter", "GET", "/v1/models", 403],
  ["a token for metrics", "meter", "GET", "/metrics", 200],
  ["a token for metrics", "meter", "POST", "/v1/messages", 403],
  ["a token for metrics", "meter", "POST", "/v1/messages/count_tokens", 403],
  ["a token for turns", "good", "GET", "/api/sessions", 403],
  ["a token for sessions", "page", "GET", "/api/sessions", 200],
  ["a token for sessions", "page", "POST", "/api/links", 403],
  ["a token for sessions", "page", "POST", "/v1/messages", 403],
])("answers %s (%s) at %s %s with %i", async (_name, token, method, url, status) => {
  expect(statusOf(await send({ method, url }, { headers: [`Authorization: Bearer ${token}`] }))).toBe(status);
});
