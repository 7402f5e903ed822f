import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ListedRoute } from "../admin/route-list.ts";
import { saying, scriptedDesk, telling } from "../door/testing/scripted-desk.ts";
import { exchange, type StartedServer, startServer, statusOf } from "./testing/start-server.ts";

const desk = scriptedDesk(telling(...saying("hello")));
let server: StartedServer;

beforeAll(async () => {
  server = await startServer(desk);
  server.tokens.set("old", { name: "old", scopes: ["admin"] });
  server.tokens.delete("old");
});
afterAll(() => server.app.close());

interface Bad {
  readonly status: number;
  /** Header lines that replace the good ones of the same name; a name alone removes it. */
  readonly headers?: readonly string[];
  readonly target?: (path: string) => string;
}

/** Good at every door. */
const body = '{"model":"auto","messages":[{"role":"user","content":"hello"}],"input":"hello"}';
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

const publicPaths = ["/", "/api/hello", "/healthz"];

function badRequestsFor({ method, url }: ListedRoute): [string, Bad][] {
  return [
    ...Object.entries(hosts).map(([name, bad]): [string, Bad] => [name, bad()]),
    ...(publicPaths.includes(url) ? [] : Object.entries(credentials)),
    ...(method === "POST" ? Object.entries(contentTypes) : []),
  ];
}

function send({ method, url }: ListedRoute, { headers = [], target = (path) => path }: Partial<Bad>): Promise<string> {
  const replaced = headers.map((line) => line.split(":", 1)[0]?.toLowerCase());
  const withBody = method === "POST";
  const good = [
    `Host: ${own()}`,
    "Authorization: Bearer boss",
    "Connection: close",
    ...(withBody ? ["Content-Type: application/json", `Content-Length: ${body.length}`] : []),
  ].filter((line) => !replaced.includes(line.split(":", 1)[0]?.toLowerCase()));
  const lines = [...good, ...headers.filter((line) => line.includes(":"))];
  const path = url.replace("*", "auto");
  return exchange(
    server.port,
    `${method} ${target(path)} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${withBody ? body : ""}`,
  );
}

it("knows the routes from the router itself", () => {
  expect(server.routes.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual([
    "GET /docs",
    "GET /healthz",
    "GET /metrics",
    "GET /openapi.json",
    "GET /readyz",
    "GET /v1/models",
    "GET /v1/models/*",
    "HEAD /",
    "HEAD /api/hello",
    "POST /v1/chat/completions",
    "POST /v1/messages",
    "POST /v1/messages/count_tokens",
    "POST /v1/responses",
  ]);
});

it("refuses every bad request at every route, and the desk sees none of them", async () => {
  const wrong: string[] = [];
  for (const route of server.routes) {
    const requests = badRequestsFor(route);
    const answers = await Promise.all(requests.map(([, bad]) => send(route, bad)));
    for (const [index, [name, bad]] of requests.entries()) {
      const status = statusOf(answers[index] ?? "");
      if (status !== bad.status) wrong.push(`${route.method} ${route.url} with ${name}: ${status}`);
    }
    if (!publicPaths.includes(route.url)) expect(requests.length).toBeGreaterThanOrEqual(15);
  }
  expect(wrong).toEqual([]);
  expect(desk.opened).toEqual([]);
});

it.each([
  ["does not exist", "/nowhere", 404],
  ["cannot be read", "/v1/%zz", 400],
])("refuses a bad request at a path that %s just the same", async (_name, url, status) => {
  const nowhere = { method: "GET", url };
  const answers = await Promise.all(
    badRequestsFor(nowhere).map(async ([, bad]) => statusOf(await send(nowhere, bad)) === bad.status),
  );
  expect([answers.every(Boolean), statusOf(await send(nowhere, {}))]).toEqual([true, status]);
});

it("allows no foreign page to read anything", async () => {
  const answer = await send({ method: "OPTIONS", url: "/v1/messages" }, { headers: ["Origin: https://evil.test"] });
  expect([statusOf(answer), /access-control/i.test(answer)]).toEqual([403, false]);
});

describe("a good request", () => {
  it("gets in at every route", async () => {
    const statuses = await Promise.all(server.routes.map(async (route) => statusOf(await send(route, {}))));
    expect(statuses.every((status) => status === 200)).toBe(true);
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
])("answers %s (%s) at %s %s with %i", async (_name, token, method, url, status) => {
  expect(statusOf(await send({ method, url }, { headers: [`Authorization: Bearer ${token}`] }))).toBe(status);
});
