import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { saying, scriptedConversations, telling } from "../chat/testing/scripted-conversations.ts";
import { type StartedServer, startServer } from "../server/testing/start-server.ts";
import { createSignInLinks } from "./sign-in-links.ts";
import { callNative } from "./testing/native-client.ts";

const MINUTE_MS = 60_000;
let now: number;
let server: StartedServer;

beforeEach(async () => {
  now = 1000;
  const links = createSignInLinks({ now: () => now });
  server = await startServer(scriptedConversations(telling(...saying("ready"))), {
    native: { links },
    origins: ["https://caret.test"],
  });
});
afterEach(() => server.app.close());

async function newCode(): Promise<string> {
  const { body } = await callNative(server, "POST", "/api/links");
  return new URL((body as { url: string }).url).hash.replace("#/sign-in/", "");
}

/** As a browser does it: without any token. */
async function signIn(code: unknown) {
  const response = await fetch(`${server.url}/api/sign-in`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const body = (await response.json()) as { pageKey: string };
  return { status: response.status, body, cookie: response.headers.get("set-cookie") ?? "" };
}

function ask(headers: Record<string, string>, path = "/api/about"): Promise<Response> {
  return fetch(`${server.url}${path}`, { headers });
}

async function signedIn(): Promise<{ cookie: string; "x-caret-page": string }> {
  const { cookie, body } = await signIn(await newCode());
  return { cookie: cookie.split(";", 1)[0] ?? "", "x-caret-page": body.pageKey };
}

describe("a link", () => {
  it("leads to the page, with its code where no server sees it", async () => {
    const { status, body } = await callNative(server, "POST", "/api/links");
    expect([status, body]).toEqual([
      201,
      { url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#\/sign-in\/[\w-]{32}$/), expiresAt: 601_000 },
    ]);
  });

  it("that a page asks for leads to where the page is", async () => {
    const { body } = await callNative(server, "POST", "/api/links", { headers: { origin: "https://caret.test" } });
    expect((body as { url: string }).url).toMatch(/^https:\/\/caret\.test\/#\/sign-in\//);
  });

  it("works once", async () => {
    const code = await newCode();
    const [first, second] = [await signIn(code), await signIn(code)];
    expect([first.status, second.status, second.cookie]).toEqual([200, 401, ""]);
  });

  it("works for one of many who use it at once", async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 10 }, () => signIn(code)));
    expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  });

  it.each([
    ["just before", 10 * MINUTE_MS - 1, 200],
    ["when its ten minutes are over", 10 * MINUTE_MS, 401],
  ])("used %s is answered with its due", async (_name, later, status) => {
    const code = await newCode();
    now += later;
    expect((await signIn(code)).status).toBe(status);
  });

  it("is forgotten when twenty newer ones are open", async () => {
    const oldest = await newCode();
    const second = await newCode();
    for (let count = 0; count < 19; count += 1) await newCode();
    expect([(await signIn(oldest)).status, (await signIn(second)).status]).toEqual([401, 200]);
  });

  it.each(["", "a", "x".repeat(32)])("with the code %j lets nobody in", async (code) => {
    await newCode();
    expect((await signIn(code)).status).toBe(401);
  });

  it("is not made for a token that may only use sessions", async () => {
    expect((await callNative(server, "POST", "/api/links", { token: "page" })).status).toBe(403);
  });
});

describe("a signed-in page", () => {
  it("tests a door with its own rights", async () => {
    const response = await fetch(`${server.url}/api/connect/test`, {
      method: "POST",
      headers: { ...(await signedIn()), "content-type": "application/json" },
      body: JSON.stringify({ door: "openai" }),
    });
    expect(await response.json()).toMatchObject({ ok: true, detail: "ready" });
  });
});

describe("a browser that signed in", () => {
  it("has a cookie that scripts and other sites cannot use, and a key for its page", async () => {
    const { cookie, body } = await signIn(await newCode());
    const [, half] = /^caret_page_\d+=([\w-]+); Max-Age=\d+; Path=\/; HttpOnly; SameSite=Strict$/.exec(cookie) ?? [];
    expect([`${half}${body.pageKey}`, Object.keys(body)]).toEqual(["caret_1-browser-secret-number-1", ["pageKey"]]);
  });

  it("gets in with both halves, under a name of its own", async () => {
    const response = await ask(await signedIn());
    expect([response.status, ((await response.json()) as { tokenName: string }).tokenName]).toEqual([200, "browser-1"]);
  });

  it("gets in at the other doors too", async () => {
    expect((await ask(await signedIn(), "/v1/models")).status).toBe(200);
  });

  it("does not get in with one half, with halves of two sign-ins, or with a wrong token beside them", async () => {
    const [one, two] = [await signedIn(), await signedIn()];
    const attempts: Record<string, string>[] = [
      { cookie: one.cookie },
      { "x-caret-page": one["x-caret-page"] },
      { cookie: one.cookie, "x-caret-page": two["x-caret-page"] },
      { cookie: one.cookie, "x-caret-page": "" },
      { cookie: one.cookie.replace(/=.*/, "="), "x-caret-page": one["x-caret-page"] },
      { ...one, authorization: "Bearer bad" },
    ];
    const statuses = await Promise.all(attempts.map(async (headers) => (await ask(headers)).status));
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401]);
  });

  it("is out when its token is revoked", async () => {
    const halves = await signedIn();
    server.tokens.delete("caret_1-browser-secret-number-1");
    expect((await ask(halves)).status).toBe(401);
  });

  it("is out when it signs out, and its cookie is gone", async () => {
    const halves = await signedIn();
    const response = await fetch(`${server.url}/api/sign-out`, {
      method: "POST",
      headers: { ...halves, "content-type": "application/json" },
      body: "{}",
    });
    expect([response.status, response.headers.get("set-cookie"), (await ask(halves)).status]).toEqual([
      204,
      `caret_page_${new URL(server.url).port}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict`,
      401,
    ]);
  });
});

it("does not take a program's token away when it signs out", async () => {
  const out = await callNative(server, "POST", "/api/sign-out", { token: "page" });
  const after = await callNative(server, "GET", "/api/about", { token: "page" });
  expect([out.status, after.status]).toEqual([204, 200]);
});
