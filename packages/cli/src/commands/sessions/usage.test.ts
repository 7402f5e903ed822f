import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Usage } from "@caret/protocol";
import { openSqliteEventStore, toUsageDay } from "@caret/runtime";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addUsageCommand } from "./usage.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

let directory: string;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-usage-")));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function addTurn(id: string, model: string, daysAgo: number, usage: Usage, client?: string): Promise<void> {
  const at = Date.now() - daysAgo * DAY_MS;
  const store = openSqliteEventStore({ directory: join(directory, "data"), role: "guest", now: () => at });
  await store.createSession({ id, workspace: directory, title: `About ${id}`, lane: "cli", model, createdAt: at });
  const events = [
    { type: "turn-start", turnId: "t", lane: "cli", model, prompt: "hello", client },
    { type: "usage", usage },
    { type: "turn-end", outcome: { kind: "completed" } },
  ] as const;
  await store.append(
    id,
    0,
    events.map((event) => ({ turnId: "t", event, at })),
  );
  await store.close();
}

function usage(...argv: readonly string[]): Promise<Tried> {
  const env = { CARET_DATA_DIR: join(directory, "data") };
  return tryCommand(addUsageCommand, ["usage", ...argv], { cwd: directory, env, stdin: "" });
}

it("adds up tokens and cost by day, model and session, and says what has no price", async () => {
  await addTurn("aaaa-1", "gpt-5.2-high", 0, { input: 1000, output: 100, cacheRead: 9000 });
  await addTurn("bbbb-2", "gpt-5.2", 1, { input: 2000, output: 200 });
  await addTurn("cccc-3", "no-such-model", 1, { input: 5000, output: 500 });
  const [today, yesterday] = [0, 1].map((days) => toUsageDay(Date.now() - days * DAY_MS));
  expect(await usage()).toEqual({
    code: 0,
    stdout: [
      "day\tturns\tin\tout\tcost\t",
      `${yesterday}\t2\t7k\t700\t≥$0.0063\t`,
      `${today}\t1\t10k\t100\t$0.0047\t`,
      "total\t3\t17k\t800\t≥$0.0110\t",
      "",
    ].join("\n"),
    stderr: "caret: the price of 1 of 3 turns is not known; the cost leaves it out\n",
  });
  expect((await usage("--by", "model", "--days", "1")).stdout.split("\n")[1]).toBe(
    "gpt-5.2-high\t1\t10k\t100\t$0.0047\t",
  );
  expect((await usage("--by", "session")).stdout).toContain("cccc-3 About cccc-3\t1\t5k\t500\t–\t");
});

it("gives programs the same as JSON, and unknown counts as absent", async () => {
  await addTurn("aaaa-1", "auto", 0, { output: 7 });
  expect(JSON.parse((await usage("--by", "lane", "--json")).stdout)).toEqual({
    from: toUsageDay(Date.now() - 29 * DAY_MS),
    by: "lane",
    rows: [{ key: "cli", turns: 1, uncountedTurns: 0, unpricedTurns: 1, tokens: { output: 7 } }],
    total: { turns: 1, uncountedTurns: 0, unpricedTurns: 1, tokens: { output: 7 } },
  });
});

it("says so when nothing was used, and refuses a number of days that is none", async () => {
  expect((await usage("--days", "2")).stdout).toBe(
    `No turn has reported any usage since ${toUsageDay(Date.now() - DAY_MS)}.\n`,
  );
  await expect(usage("--days", "0")).rejects.toMatchObject({ code: "commander.invalidArgument" });
});

it("says which client asked, by the name of its token, and what it does not know", async () => {
  await addTurn("aaaa-1", "auto", 0, { input: 10, output: 1 }, "opencode");
  await addTurn("bbbb-2", "auto", 1, { input: 20, output: 2 }, "opencode");
  await addTurn("cccc-3", "auto", 0, { input: 5, output: 1 });
  const { rows } = JSON.parse((await usage("--by", "client", "--json")).stdout);
  expect(rows.map(({ key, turns, tokens }: Record<string, unknown>) => [key, turns, tokens])).toEqual([
    ["opencode", 2, { input: 30, output: 3 }],
    ["unknown", 1, { input: 5, output: 1 }],
  ]);
});
