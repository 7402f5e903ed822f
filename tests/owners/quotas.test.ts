import { execFileSync } from "node:child_process";
import { afterAll, beforeAll, expect, it } from "vitest";
import { GatewayHome } from "../clients/gateway-home.ts";
import { caret, type GatewayProcess, startGateway } from "../clients/gateway-process.ts";
import { clientOf, post, type Seat } from "./owned-things.ts";

/** Each user may begin three turns in a day, and have one at once. */
const home = new GatewayHome({
  turns: [
    { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
    { when: "^", steps: [{ text: "Pear." }, { usage: { inputTokens: 1200, outputTokens: 40 } }] },
  ],
});
let gateway: GatewayProcess;
let [anna, bert]: Seat[] = [];

function runCaret(...args: readonly string[]): string {
  return execFileSync(process.execPath, [caret, ...args], { env: home.environment(), encoding: "utf8" });
}

beforeAll(async () => {
  const env = { CARET_BUDGETS_USER_TURNS: "3", CARET_BUDGETS_USER_AT_ONCE: "1" };
  gateway = await startGateway(home, { args: ["--port", "0", "--workspace", home.workspace], env });
  [anna, bert] = ["anna", "bert"].map((user) => {
    const made = runCaret("token", "create", user, "--user", user, "--scope", "turns", "sessions", "--json");
    return { url: gateway.url, token: (JSON.parse(made) as { secret: string }).secret };
  });
}, 60_000);
afterAll(async () => {
  await gateway.stop();
  home.remove();
});

const say = (seat: Seat | undefined, content: string) =>
  post(seat as Seat, "/v1/chat/completions", { model: "auto", messages: [{ role: "user", content }] });

it("refuses a user's next turn once the day's are used up, and lets another user's begin", async () => {
  const answers = [];
  for (const word of ["One", "Two", "Three", "Four"]) answers.push(await say(anna, word));
  answers.push(await say(bert, "Five"));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 402, 200]);
  const wait = Number(answers[3]?.headers.get("retry-after"));
  expect(answers[3]?.body).toMatchObject({
    error: {
      message: expect.stringContaining("The user's budget of 3 turns is used up (3 turns)"),
      caret: { code: "budget-exceeded", retryable: false, retryAfterSeconds: wait },
    },
  });
  // Until 00:00 UTC; the turns before it may have been asked for on the other side of a second.
  const leftMs = 86_400_000 - (Date.now() % 86_400_000);
  expect(Math.abs(wait * 1000 - leftMs)).toBeLessThan(60_000);
  // It reached no agent, and no log.
  expect(home.prompts().filter((prompt) => prompt.includes("Four"))).toEqual([]);
  const { sessions } = await clientOf(anna as Seat).listSessions();
  expect(sessions.length).toBe(3);
});

it("refuses a turn while another of the same user runs, for a moment: the client may try again", async () => {
  const client = clientOf(bert as Seat);
  const [first, second] = await Promise.all([1, 2].map(() => client.createSession({ workspace: home.workspace })));
  const { turnId } = await client.startTurn(first?.id ?? "", { prompt: "Go on for ever" });
  await expect(client.startTurn(second?.id ?? "", { prompt: "Go on for ever" })).rejects.toMatchObject({
    code: "overloaded",
    message: "The user bert has 1 turn running, and may have no more at once",
    retryAfterSeconds: 1,
  });
  await client.cancelTurn(first?.id ?? "", turnId);
});

it("shows what each user used, and how much of the quota is left", async () => {
  const { rows } = JSON.parse(runCaret("usage", "--by", "user", "--json")) as {
    rows: { key: string; turns: number }[];
  };
  expect(rows.map(({ key, turns }) => [key, turns]).toSorted()).toEqual([
    ["anna", 3],
    ["bert", 1],
  ]);
  const { lines } = await clientOf(anna as Seat).budget();
  expect(lines).toEqual([{ scope: "user", unit: "turns", limit: 3, used: 3 }]);
});
