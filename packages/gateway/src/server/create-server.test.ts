import { Secret } from "@caret/protocol";
import { afterEach, expect, it } from "vitest";
import { cutPageSecret } from "../access/authenticate.ts";
import {
  type ScriptedConversations,
  saying,
  scriptedConversations,
  telling,
  tellingThenSilent,
} from "../chat/testing/scripted-conversations.ts";
import { openSocket, type StartedServer, startServer } from "./testing/start-server.ts";

const servers: StartedServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map(({ app }) => app.close()));
});

async function start(...[conversations, limits]: Parameters<typeof startServer>): Promise<StartedServer> {
  const server = await startServer(conversations, { drainMs: 50, ...limits });
  servers.push(server);
  return server;
}

const quick = () => scriptedConversations(telling(...saying("hello")));
const endless = (): ScriptedConversations => scriptedConversations(tellingThenSilent(...saying("hello").slice(0, 3)));
const ask = { messages: [{ role: "user", content: "hello" }], stream: true };

function call({ url }: StartedServer, path: string, init: RequestInit & { token?: string } = {}): Promise<Response> {
  const { token = "boss", ...rest } = init;
  return fetch(`${url}${path}`, { ...rest, headers: { authorization: `Bearer ${token}`, ...rest.headers } });
}

function askFor(server: StartedServer, given: RequestInit & { token?: string; body?: string } = {}): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return call(server, "/v1/messages", { method: "POST", headers, body: JSON.stringify(ask), ...given });
}

function lastEvents(wire: string): string[] {
  return [...wire.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name ?? "").slice(-3);
}

it("answers without a token that it is there, and no more", async () => {
  const server = await start(quick());
  const health = await fetch(`${server.url}/healthz`);
  const heads = await Promise.all(["/", "/api/hello"].map((path) => fetch(server.url + path, { method: "HEAD" })));
  expect([health.status, await health.json(), heads.map(({ status }) => status)]).toEqual([
    200,
    { ok: true, command: "npx caret" },
    [200, 200],
  ]);
});

it.each([
  [true, 200],
  [false, 503],
])("says which lanes are ready (%s), and that the simulator is one", async (ready, status) => {
  const response = await call(await start(quick(), { ready }), "/readyz");
  expect([response.status, await response.json()]).toEqual([
    status,
    { ready, version: "1.2.3", lanes: [{ lane: "sim", ready, simulated: true }] },
  ]);
});

it("lists every route of the router in the OpenAPI document", async () => {
  const server = await start(quick());
  const { paths } = (await (await call(server, "/openapi.json")).json()) as { paths: Record<string, object> };
  const listed = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const routes = server.routes.map(
    ({ method, url }) => `${method} ${url.replace("*", "{id}").replaceAll(/:(\w+)/g, "{$1}")}`,
  );
  expect(listed.toSorted()).toEqual(routes.toSorted());
});

it("says in the OpenAPI document which routes need no token: those that answer without one", async () => {
  const server = await start(quick());
  type Operation = { readonly security?: readonly object[]; readonly requestBody?: { readonly content: object } };
  const document = await (await call(server, "/openapi.json")).json();
  const { paths } = document as { paths: Record<string, Record<string, Operation>> };
  const said: Record<string, boolean> = {};
  const found: Record<string, boolean> = {};
  for (const [path, operations] of Object.entries(paths))
    for (const [method, { security, requestBody }] of Object.entries(operations)) {
      const [type] = Object.keys(requestBody?.content ?? {});
      const body = type === undefined ? {} : { body: "{}", headers: { "content-type": type } };
      const address = server.url + path.replaceAll(/\{\w+\}/g, "x");
      const { status } = await fetch(address, { method: method.toUpperCase(), ...body });
      said[`${method} ${path}`] = security?.length === 0;
      found[`${method} ${path}`] = status !== 401;
    }
  expect(said).toEqual(found);
  expect(new Set(Object.values(said))).toEqual(new Set([true, false]));
});

it("every route has a summary of its own in the OpenAPI document", async () => {
  const server = await start(quick());
  type Paths = Record<string, Record<string, { readonly summary: string }>>;
  const { paths } = (await (await call(server, "/openapi.json")).json()) as { paths: Paths };
  const bare = Object.values(paths).flatMap((operations) =>
    Object.values(operations).filter(({ summary }) => /^[A-Z]+ \//.test(summary)),
  );
  expect(bare).toEqual([]);
});

it("the OpenAPI document gives the limits that the doors enforce", async () => {
  const server = await start(quick());
  type Paths = Record<string, Record<string, { readonly [field: string]: unknown }>>;
  const { paths } = (await (await call(server, "/openapi.json")).json()) as { paths: Paths };
  expect(paths["/api/sessions/{id}/turns/{turnId}/steer"]?.["post"]).toMatchObject({
    summary: "Send a message to a running turn",
    tags: ["sessions"],
    requestBody: {
      content: {
        "application/json": {
          schema: { type: "object", required: ["text"], properties: { text: { type: "string", pattern: "\\S" } } },
        },
      },
    },
  });
  expect(paths["/v1/messages"]?.["post"]).toMatchObject({
    summary: "Anthropic messages",
    tags: ["doors"],
    requestBody: {
      content: {
        "application/json": {
          schema: { required: ["messages"], properties: { max_tokens: { type: "integer", exclusiveMinimum: 0 } } },
        },
      },
    },
  });
  expect(paths["/api/files"]?.["get"]).toMatchObject({
    parameters: [
      { name: "workspace", in: "query", required: true, schema: { type: "string", minLength: 1 } },
      { name: "query", in: "query", required: false, schema: { type: "string" } },
      { name: "folders", in: "query", required: false, schema: { type: "string", enum: ["true", "false"] } },
    ],
  });
});

it("shows the document as a page under a strict policy", async () => {
  const page = await call(await start(quick()), "/docs");
  expect({
    type: page.headers.get("content-type"),
    hasPolicy: page.headers.get("content-security-policy")?.startsWith("default-src 'none'"),
    listsMessages: (await page.text()).includes("POST /v1/messages"),
  }).toEqual({ type: "text/html; charset=utf-8", hasPolicy: true, listsMessages: true });
});

it("counts requests and bytes", async () => {
  const server = await start(quick());
  await (await askFor(server)).text();
  await call(server, "/nowhere");
  const lines = (await (await call(server, "/metrics", { token: "meter" })).text()).split("\n");
  const counted = (start: string) =>
    lines
      .find((line) => line.startsWith(start))
      ?.split(" ")
      .at(-1);
  expect({
    messages: counted('caret_requests_total{method="POST",route="/v1/messages",status="200"}'),
    unknownRoutes: counted('caret_requests_total{method="GET",route="none",status="404"}'),
    timed: counted('caret_request_seconds_count{route="/v1/messages"}'),
    areBytesCounted: Number(counted("caret_stream_bytes_total")) > 100,
    requestsOpen: counted("caret_requests_open"),
    streamsOpen: counted("caret_streams_open"),
  }).toEqual({
    messages: "1",
    unknownRoutes: "1",
    timed: "1",
    areBytesCounted: true,
    requestsOpen: "1",
    streamsOpen: "0",
  });
});

it.each([
  ["GET", "/nowhere", 404, null, "There is nothing at /nowhere."],
  ["POST", "/v1/v1/messages", 404, null, "Leave /v1 out"],
  ["GET", "/v1/messages", 405, "POST", "/v1/messages does not answer GET."],
  ["DELETE", "/healthz", 405, "GET", "Use GET."],
])("helps at %s %s with a %i", async (method, path, status, allow, words) => {
  const init = method === "POST" ? { body: "{}", headers: { "content-type": "application/json" } } : {};
  const response = await call(await start(quick()), path, { method, ...init });
  const text = await response.text();
  expect({
    status: response.status,
    allow: response.headers.get("allow"),
    includesWords: text.includes(words),
  }).toEqual({ status, allow, includesWords: true });
});

it.each([
  ["a sane id of the client's", "abc-1.2_3", "abc-1.2_3"],
  ["an id of its own for one that is too long", "x".repeat(65), "made-up"],
  ["an id of its own for one with odd characters", "a b<c>", "made-up"],
])("answers with %s", async (_name, sent, echoed) => {
  const response = await call(await start(quick()), "/readyz", { headers: { "x-request-id": sent } });
  expect(response.headers.get("x-request-id")).toBe(echoed);
});

it("gives streams the request's id too", async () => {
  const response = await askFor(await start(quick()));
  await response.text();
  expect(response.headers.get("x-request-id")).toBe("made-up");
});

it("refuses a body above the limit in the door's own shape", async () => {
  const conversations = quick();
  const body = JSON.stringify({ messages: [{ role: "user", content: "x".repeat(2000) }] });
  const response = await askFor(await start(conversations, { bodyBytes: 1000 }), { body });
  const { error } = (await response.json()) as { error: { type: string } };
  expect([response.status, error.type, conversations.opened]).toEqual([413, "request_too_large", []]);
});

it("reads on when it refuses what is too large, so that the client comes to read why", async () => {
  const { port } = await start(quick(), { bodyBytes: 1000 });
  const socket = await openSocket(port);
  const rest = "x".repeat(100_000);
  const common = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer boss\r\n`;
  const type = "Content-Type: application/json\r\n";
  socket.write(`POST /v1/messages HTTP/1.1\r\n${common}${type}Content-Length: ${rest.length}\r\n\r\n`);
  let wire = "";
  for await (const chunk of socket) {
    wire += chunk;
    if (wire.includes("request_too_large") && !wire.includes('{"ok":true}'))
      socket.write(`${rest}GET /healthz HTTP/1.1\r\n${common}Connection: close\r\n\r\n`);
  }
  expect([...wire.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)).toEqual(["413", "200"]);
});

it("refuses a body that is nested without end", async () => {
  const conversations = quick();
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  const body = `{"messages":[{"role":"user","content":"hello"}],"tools":[{"name":"a","input_schema":{"a":${deep}}}]}`;
  const response = await askFor(await start(conversations), { body });
  expect([response.status, conversations.opened]).toEqual([400, []]);
});

it("ends the streams of a revoked token properly", async () => {
  const server = await start(endless());
  const response = await askFor(server, { token: "good" });
  server.tokens.delete("good");
  const wire = await response.text();
  expect(lastEvents(wire)).toEqual(["error", "message_delta", "message_stop"]);
  expect((await askFor(server, { token: "good" })).status).toBe(401);
});

it("leaves the turn when the client goes away", async () => {
  const conversations = endless();
  const leaving = new AbortController();
  await askFor(await start(conversations), { signal: leaving.signal });
  leaving.abort();
  await conversations.left;
});

it("lets running answers finish while it closes", async () => {
  const { promise: finish, resolve } = Promise.withResolvers<void>();
  const conversations = scriptedConversations(async function* slow() {
    yield saying("hello").slice(0, 3);
    await finish;
    yield saying("hello").slice(3);
  });
  const { app, ...server } = await startServer(conversations);
  const response = await askFor({ app, ...server });
  const closed = app.close();
  await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
  resolve();
  const wire = await response.text();
  await closed;
  expect(lastEvents(wire)).toEqual(["content_block_stop", "message_delta", "message_stop"]);
});

it("ends answers properly that do not finish in time when it closes", async () => {
  const { app, ...server } = await startServer(endless(), { drainMs: 50 });
  const response = await askFor({ app, ...server });
  const [wire] = await Promise.all([response.text(), app.close()]);
  expect(lastEvents(wire)).toEqual(["error", "message_delta", "message_stop"]);
});

it("shows the documentation to a signed-in browser by its cookie, which opens nothing else", async () => {
  const { url, tokens } = await start(quick());
  const { port } = new URL(url);
  const secret = "caret_1-browser-secret-number-1";
  tokens.set(secret, { name: "browser-1", scopes: ["admin"] });
  const half = cutPageSecret(new Secret(secret)).cookie;
  const ask = async (path: string, cookie: string, headers = {}) =>
    await fetch(url + path, { headers: { cookie, ...headers } });
  const statuses = async (cookie: string, headers = {}) => {
    const paths = ["/docs", "/openapi.json", "/api/sessions", "/v1/models", "/readyz", "/metrics"];
    const answers = await Promise.all(paths.map((path) => ask(path, cookie, headers)));
    return answers.map(({ status }) => status);
  };
  const cookie = `caret_page_${port}=${half}`;
  const page = await ask("/docs", cookie);
  expect({
    listsMessages: (await page.text()).includes("POST /v1/messages"),
    policy: page.headers.get("content-security-policy")?.startsWith("default-src 'none'"),
    isItsOwn: page.headers.get("cross-origin-resource-policy"),
    isKept: page.headers.get("cache-control"),
  }).toEqual({ listsMessages: true, policy: true, isItsOwn: "same-origin", isKept: "no-store" });
  expect(await statuses(cookie)).toEqual([200, 200, 401, 401, 401, 401]);
  const refused = [401, 401, 401, 401, 401, 401];
  expect(await statuses(cookie, { authorization: "Bearer wrong" })).toEqual(refused);
  expect(await statuses(`caret_page_${port}=${half.slice(1)}x`)).toEqual(refused);
  expect(await statuses(`caret_page_1=${half}`)).toEqual(refused);
  expect((await ask("/docs", cookie, { origin: "http://localhost:1" })).status).toBe(403);
  tokens.delete(secret);
  expect(await statuses(cookie)).toEqual(refused);
});

it("takes a browser's token only at the pages that do nothing, and asks for it there", async () => {
  const server = await start(quick());
  const authorization = `Basic ${Buffer.from("anyone:boss").toString("base64")}`;
  const paths = ["/docs", "/openapi.json", "/v1/models", "/readyz", "/metrics"];
  const answers = await Promise.all(paths.map((path) => call(server, path, { headers: { authorization } })));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 401, 401]);
  const stranger = await fetch(`${server.url}/docs`);
  expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([
    401,
    'Basic realm="Caret: the token is the password", charset="UTF-8"',
  ]);
});
