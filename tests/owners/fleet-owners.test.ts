import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { caret } from "../clients/gateway-process.ts";
import { FleetHome } from "../fleet/fleet-home.ts";
import { makeThings, post, type Seat } from "./owned-things.ts";
import { describeStrangers, type Strangers } from "./strangers.contract.ts";

/** One database, two gateways and a worker; the tokens are in the database. */
let fleet: FleetHome;
let gateways: readonly string[];
let strangers: Strangers;

function caretToken(...args: readonly string[]): { readonly secret: string } {
  const words = [caret, "token", ...args, "--store", "--json"];
  const env = fleet.environment("command");
  return JSON.parse(execFileSync(process.execPath, words, { env, encoding: "utf8" })) as { secret: string };
}

const token = (...args: readonly string[]): string => caretToken("create", ...args).secret;

beforeAll(async () => {
  fleet = await FleetHome.open();
  await fleet.worker("worker");
  const started = await Promise.all([fleet.gateway("one"), fleet.gateway("other")]);
  gateways = started.map(({ url }) => url);
  const [one = "", other = ""] = gateways;
  const bert = token("bert-laptop", "--user", "bert", "--scope", "admin");
  const anna = { url: one, token: token("anna-laptop", "--user", "anna", "--scope", "sessions", "turns", "models") };
  const root = { url: other, token: token("root", "--admin") };
  await vi.waitFor(async () => expect(await statuses(root.token)).toEqual([200, 200]), { timeout: 10_000 });
  const things = await makeThings(anna, fleet.home.workspace);
  strangers = {
    things,
    anna,
    bert: gateways.map((url): Seat => ({ url, token: bert })),
    root,
    workspace: fleet.home.workspace,
    unserved: /\/(servers|editor)(\/|$)/,
  };
}, 120_000);
afterAll(() => fleet.remove());

/** What each gateway says to this token. */
async function statuses(secret: string): Promise<readonly number[]> {
  const headers = { authorization: `Bearer ${secret}` };
  return await Promise.all(gateways.map(async (url) => (await fetch(new URL("/api/about", url), { headers })).status));
}

describeStrangers("at two gateways of a fleet", () => strangers);

it("is let in by every gateway with one token, and by none within two seconds after it was revoked", async () => {
  const secret = token("passing", "--user", "carla", "--scope", "sessions");
  await expect.poll(() => statuses(secret), { timeout: 2_000, interval: 50 }).toEqual([200, 200]);
  caretToken("revoke", "passing");
  await expect.poll(() => statuses(secret), { timeout: 2_000, interval: 50 }).toEqual([401, 401]);
});

it("goes on from an answer at another gateway than the one that gave it, in the same session", async () => {
  const { anna } = strangers;
  const first = await post(anna, "/v1/responses", { model: "auto", input: "Remember the word pear" });
  const there = { ...anna, url: gateways[1] ?? "" };
  const next = { model: "auto", input: "Which word?", previous_response_id: first.body["id"] };
  const second = await post(there, "/v1/responses", next);
  expect([second.status, second.session]).toEqual([200, first.session]);
});
