import { createHash, randomBytes } from "node:crypto";
import { DashboardService } from "@caret/protocol/agent-api/account";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { afterEach, describe, expect, it } from "vitest";
import { RunClient } from "../testing/run-client.ts";
import { startUpstream, type Upstream } from "../upstream.ts";

let now = 1_800_000_000_000;
let upstream: Upstream | undefined;
afterEach(() => upstream?.close());

async function start(): Promise<Upstream> {
  upstream = await startUpstream({ scenario: { upstream: { tokenSeconds: 60 } }, now: () => now });
  return upstream;
}

async function post(url: string, body: object, bearer = ""): Promise<{ status: number; body: unknown }> {
  const answer = await fetch(url, {
    method: "POST",
    body: JSON.stringify(body),
    headers: { authorization: `Bearer ${bearer}` },
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : text };
}

/** Whether a call with this token is answered. */
async function callWith(url: string, token: string): Promise<string> {
  const { transport, headers } = new RunClient({ url, httpVersion: "1.1", token });
  try {
    return (await createClient(DashboardService, transport).getMe({}, { headers })).email ?? "";
  } catch (error) {
    return Code[ConnectError.from(error).code];
  }
}

describe("an API key", () => {
  it("is exchanged for a token that expires, and is no token itself", async () => {
    const { url } = await start();
    const { body } = await post(`${url}/auth/exchange_user_api_key`, {}, "key_good");
    const { accessToken } = body as { accessToken: string };
    const claims = JSON.parse(Buffer.from(accessToken.split(".")[1] ?? "", "base64url").toString()) as { exp: number };
    expect(claims.exp).toBe(now / 1_000 + 60);
    expect(await callWith(url, accessToken)).toBe("ada@example.com");
    expect(await callWith(url, "key_good")).toBe("Unauthenticated");
    now += 61_000;
    expect(await callWith(url, accessToken)).toBe("Unauthenticated");
  });

  it("is listed by its name, and exchanged for nothing once it is revoked", async () => {
    const { url } = await start();
    const { transport, headers } = new RunClient({ url, httpVersion: "1.1" });
    const dashboard = createClient(DashboardService, transport);
    const { apiKey } = await dashboard.createUserApiKey({ name: "caret", expiresAt: 7n }, { headers });
    const exchange = async () => (await post(`${url}/auth/exchange_user_api_key`, {}, apiKey)).status;
    expect(await exchange()).toBe(200);
    const { apiKeys } = await dashboard.listUserApiKeys({}, { headers });
    expect(apiKeys).toMatchObject([{ id: 1, name: "caret", createdAt: BigInt(now), expiresAt: 7n }]);
    await dashboard.revokeUserApiKey({ id: 1 }, { headers });
    expect([await exchange(), (await dashboard.listUserApiKeys({}, { headers })).apiKeys]).toEqual([401, []]);
  });

  it("that says of itself that it is bad is refused", async () => {
    const { url } = await start();
    expect(await post(`${url}/auth/exchange_user_api_key`, {}, "key_bad")).toEqual({
      status: 401,
      body: { error: "Invalid User API Key" },
    });
  });
});

describe("a login", () => {
  it("is pending until the link was followed, and needs the verifier of its challenge", async () => {
    const { url } = await start();
    const verifier = randomBytes(32).toString("base64url");
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const poll = (secret: string) => post(`${url}/auth/poll`, { uuid: "u1", verifier: secret });
    expect(await poll(verifier)).toEqual({ status: 404, body: "Not found" });
    await fetch(`${url}/loginDeepControl?challenge=${challenge}&uuid=u1&mode=login&redirectTarget=cli`);
    expect(await poll("another")).toEqual({ status: 404, body: "Not found" });
    const { status, body } = await poll(verifier);
    const { accessToken, refreshToken } = body as { accessToken: string; refreshToken: string };
    expect([status, await callWith(url, accessToken), await callWith(url, refreshToken)]).toEqual([
      200,
      "ada@example.com",
      "Unauthenticated",
    ]);
    expect((await poll(verifier)).status).toBe(404);
  });

  it("is renewed by its refresh token, and by no other", async () => {
    const { url } = await start();
    const { body } = await post(`${url}/auth/exchange_user_api_key`, {}, "key_good");
    const renew = (token: string) =>
      post(`${url}/oauth/token`, { grant_type: "refresh_token", client_id: "c", refresh_token: token });
    const renewed = (await renew((body as { refreshToken: string }).refreshToken)).body as { access_token: string };
    expect(await callWith(url, renewed.access_token)).toBe("ada@example.com");
    expect((await renew("a.b.c")).body).toEqual({ access_token: "", id_token: "", shouldLogout: true });
  });
});
