import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { post, type Seat } from "./owned-things.ts";

const home = new GatewayHome();
let gateway: GatewayProcess;
beforeAll(async () => {
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace] });
}, 120_000);
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

function command<Answer>(...words: readonly string[]): Answer {
  const args = [caret, "token", ...words, "--json"];
  return JSON.parse(execFileSync(process.execPath, args, { env: home.environment(), encoding: "utf8" })) as Answer;
}

const seat = (name: string, ...scopes: readonly string[]): Seat => ({
  url: gateway.url,
  token: command<{ secret: string }>("create", name, "--scope", ...scopes).secret,
});
const make = async (maker: Seat, name: string) => {
  const { status, body } = await post(maker, "/api/tokens", { name });
  return { status, seat: { url: gateway.url, token: String(body["token"]) } };
};
/** The statuses of what a token for the doors may do: list models, and ask. */
const mayDo = async ({ url, token }: Seat): Promise<readonly number[]> => {
  const { status } = await fetch(new URL("/v1/models", url), { headers: { authorization: `Bearer ${token}` } });
  const asked = await post({ url, token }, "/v1/chat/completions", { messages: [{ role: "user", content: "Hello" }] });
  return [status, asked.status];
};

it("makes no token with scopes that its maker lacks", async () => {
  const stolen = await make(seat("stolen", "sessions"), "keepsake");
  const partial = await make(seat("partial", "sessions", "turns"), "half");
  expect([stolen.status, partial.status, await mayDo(partial.seat)]).toEqual([403, 201, [403, 200]]);
});

it("revokes with a token what it has made, in a browser too, and nothing else", async () => {
  const desk = seat("desk", "admin");
  const sibling = await make(desk, "sibling");
  const phone = seat("phone", "admin");
  const { body: link } = await post(phone, "/api/links", {});
  const code = String(link["url"]).split("/").at(-1);
  const signedIn = await post(phone, "/api/sign-in", { code });
  const cookie = signedIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  const browser = { cookie, "x-caret-page": String(signedIn.body["pageKey"]), origin: gateway.url };
  const inBrowser = async (path: string, init: RequestInit = {}): Promise<Response> =>
    await fetch(new URL(path, gateway.url), { ...init, headers: { ...browser, "content-type": "application/json" } });
  const made = await inBrowser("/api/tokens", { method: "POST", body: JSON.stringify({ name: "robot" }) });
  const robot = { url: gateway.url, token: ((await made.json()) as { token: string }).token };
  const before = [await mayDo(robot), (await inBrowser("/api/about")).status];
  const { revokedWithIt } = command<{ revokedWithIt: readonly string[] }>("revoke", "phone");
  expect({
    before,
    revokedWithIt,
    after: [await mayDo(robot), (await inBrowser("/api/about")).status],
    sibling: await mayDo(sibling.seat),
    makers: command<readonly { name: string; madeBy: string | null }[]>("ls")
      .filter(({ name }) => ["desk", "sibling", "robot"].includes(name))
      .map(({ name, madeBy }) => [name, madeBy]),
  }).toEqual({
    before: [[200, 200], 200],
    revokedWithIt: [expect.stringMatching(/^browser-/), "robot"],
    after: [[401, 401], 401],
    sibling: [200, 200],
    makers: [
      ["desk", null],
      ["sibling", "desk"],
      ["robot", expect.stringMatching(/^browser-/)],
    ],
  });
});
