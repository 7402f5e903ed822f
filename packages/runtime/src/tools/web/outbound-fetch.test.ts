import type { IncomingMessage, ServerResponse } from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { CaretError } from "@caret/protocol";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createOutboundFetch, type OutboundRequest, redirect } from "./outbound-fetch.ts";
import { startServer, type TestServer } from "./testing/web-servers.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

const redirectTo =
  (location: string, status = 302): Answer =>
  (_, response) =>
    response.writeHead(status, { location }).end();

/** Answers with what it was asked. */
const echo: Answer = async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { authorization } = request.headers;
  response.end(JSON.stringify({ method: request.method, authorization, body: Buffer.concat(chunks).toString() }));
};

const encoded =
  (encoding: string, bytes: Uint8Array): Answer =>
  (_, response) =>
    response.writeHead(200, { "content-encoding": encoding }).end(bytes);

let [home, away]: TestServer[] = [];
const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));

function route(request: IncomingMessage, response: ServerResponse): void {
  const routes: Record<string, Answer> = {
    "/echo": echo,
    "/loop": redirectTo("/loop"),
    "/near": redirectTo("/echo"),
    "/keep": redirectTo("/echo", 307),
    "/far": redirectTo(`${away?.origin}/echo`, 307),
    "/file": redirectTo("file:///etc/passwd"),
    "/user": redirectTo("http://user:pass@example.com/"),
    "/silent": () => undefined,
    "/trickle": (_, answer) => void answer.writeHead(200).write("x"),
    "/gzip": encoded("gzip", gzipSync("hello")),
    "/both": encoded("deflate, br", brotliCompressSync(deflateSync("hello"))),
    "/thrice": encoded("gzip, gzip, gzip", gzipSync("hello")),
    "/odd": encoded("rot13", Buffer.from("uryyb")),
    "/broken": encoded("gzip", Buffer.from("no gzip")),
    "/bomb": encoded("gzip", bomb),
    "/cut": (_, answer) => {
      answer.writeHead(200, { "content-length": "10" }).write("x");
      answer.destroy();
    },
  };
  const answer = routes[request.url ?? ""] ?? ((_, missing) => missing.writeHead(404).end("none"));
  answer(request, response);
}

beforeAll(async () => {
  [home, away] = await Promise.all([startServer(route), startServer(route)]);
});

afterAll(() => Promise.all([home?.close(), away?.close()]));

async function get(path: string, more: Partial<OutboundRequest> = {}) {
  const trustedOrigins = [home?.origin ?? "", away?.origin ?? ""];
  const fetch = createOutboundFetch({ trustedOrigins, limits: { totalMs: 1_000, maxBytes: 1024 * 1024 } });
  const url = path.startsWith("/") ? `${home?.origin}${path}` : path;
  try {
    return await fetch({ url, signal: new AbortController().signal, ...more });
  } catch (reason) {
    return CaretError.is(reason) ? `${reason.code}: ${reason.message}` : reason;
  }
}

async function getText(path: string, more?: Partial<OutboundRequest>): Promise<string> {
  const answer = await get(path, more);
  return typeof answer === "object" && answer !== null && "bytes" in answer ? String(answer.bytes) : String(answer);
}

const post = { method: "POST" as const, body: "words", headers: { authorization: "Bearer secret" } };

it("gives an answer of any status, and where it came from", async () => {
  expect(await get("/none")).toEqual({
    url: new URL(`${home?.origin}/none`),
    status: 404,
    contentType: "",
    bytes: Buffer.from("none"),
    isCut: false,
  });
});

it("keeps credentials within an origin and drops them, and the body, on the way to another", async () => {
  expect(
    await Promise.all(["/echo", "/near", "/keep", "/far"].map(async (path) => JSON.parse(await getText(path, post)))),
  ).toEqual([
    { method: "POST", authorization: "Bearer secret", body: "words" },
    { method: "GET", authorization: "Bearer secret", body: "" },
    { method: "POST", authorization: "Bearer secret", body: "words" },
    { method: "GET", body: "" },
  ]);
});

it.each([
  ["/loop", "upstream-error: The address redirects more than 5 times"],
  ["/file", "invalid-request: Only http and https addresses can be fetched, not file:"],
  ["/user", "invalid-request: The address must not carry a user name or password"],
  ["/silent", "timed-out: There was no complete answer within 1000 ms"],
  ["/trickle", "timed-out: There was no complete answer within 1000 ms"],
  ["/thrice", "protocol-violation: The answer is encoded too many times"],
  ["/odd", "unsupported: The answer's encoding rot13 is not known"],
  ["/broken", "upstream-unreachable: The address could not be fetched (Z_DATA_ERROR)"],
  ["/cut", "upstream-unreachable: The address could not be fetched (UND_ERR_SOCKET)"],
  ["ftp://example.com/", "invalid-request: Only http and https addresses can be fetched, not ftp:"],
  ["nonsense", "invalid-request: The address is not a URL"],
  ["http://exam\tple.com/", "invalid-request: The address contains control characters"],
  ["http://exam\0ple.com/", "invalid-request: The address contains control characters"],
  ["http://a:b@example.com/", "invalid-request: The address must not carry a user name or password"],
  ["http://example.com:22/", "forbidden: Port 22 may not be fetched from, only 80 and 443"],
])("refuses %s", async (path, refusal) => {
  expect(await getText(path)).toBe(refusal);
});

it("says so when a name cannot be resolved", async () => {
  const fetch = createOutboundFetch({ resolve: async () => Promise.reject(new Error("ENOTFOUND")) });
  const signal = new AbortController().signal;
  await expect(fetch({ url: "http://nowhere.test/", signal })).rejects.toMatchObject({
    code: "upstream-unreachable",
    message: "The name nowhere.test cannot be resolved",
  });
});

it("decodes what was encoded once or twice", async () => {
  expect([await getText("/gzip"), await getText("/both")]).toEqual(["hello", "hello"]);
});

it("stops reading at the cap, however small the answer was on its way", async () => {
  expect(await get("/bomb")).toMatchObject({ isCut: true, bytes: { length: 1024 * 1024 } });
});

it("ends at once when it is cancelled", async () => {
  const cancel = new AbortController();
  const waiting = get("/silent", { signal: cancel.signal });
  cancel.abort();
  expect(await waiting).toMatchObject({ name: "AbortError" });
});

it("does not follow a redirect from https down to http", () => {
  const signal = new AbortController().signal;
  expect(() => redirect({ url: new URL("https://a.test/"), signal }, new URL("http://a.test/"), 302)).toThrow(
    "The address redirects from https to http, which is not followed",
  );
});
