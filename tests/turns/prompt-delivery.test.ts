import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionEngine } from "@caret/runtime";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { playTurn } from "./play-turn.ts";
import { TurnBench, withSpawner } from "./turn-bench.ts";

const oddPrompts = [
  "-",
  "--force",
  "-- --model x",
  "--workspace=/etc",
  "@file and /command",
  "first line\nsecond line\r\nthird\ttabbed",
  "\"double\" 'single' `tick` $HOME $(id) \\ ; | & > <",
  "emoji 😀👩‍👩‍👧‍👦 and é, ß, 漢字, \u202Eright to left",
  "line\u2028separators\u2029and\u0085next line",
];
const longPrompt = `Say hello. ${"0123456789abcde\n".repeat(200_000)}The end.`;

let bench: TurnBench;
let byInput: SessionEngine;
let byArgument: SessionEngine;
let byContract: SessionEngine;

beforeAll(async () => {
  bench = new TurnBench();
  const open = async (name: string, settings: object) =>
    (await bench.open({ settings: { dataDir: join(bench.directory, name), ...settings } })).engine;
  byInput = await open("by-input", withSpawner);
  byArgument = await open("by-argument", { cli: { promptAsArg: true } });
  const models = { custom: { command: bench.agentPath, args: [], promptAsArg: false } };
  byContract = await open("by-contract", { models });
});
afterAll(() => bench.remove());

describe("A prompt arrives as it was given", () => {
  test.each(oddPrompts)("on standard input: %j", async (prompt) => {
    await playTurn(byInput, { prompt, workspace: bench.workspace() });
    const last = bench.invocations().at(-1);
    expect(last?.stdin?.text).toBe(prompt);
    expect(last?.argv).not.toContain(prompt);
  });

  test.each(oddPrompts)("as the last argument: %j", async (prompt) => {
    await playTurn(byArgument, { prompt, workspace: bench.workspace() });
    const argv = bench.invocations().at(-1)?.argv ?? [];
    expect(argv.slice(-2)).toEqual(["--", prompt]);
    // How a prompt travels says nothing about what the agent may do.
    expect(argv.slice(0, -2).filter((argument) => /force|approve/.test(argument))).toEqual([]);
  });

  test("three megabytes on standard input", async () => {
    const { outcome } = await playTurn(byInput, { prompt: longPrompt, workspace: bench.workspace() });
    expect(outcome).toEqual({ kind: "completed" });
    expect(bench.invocations().at(-1)?.stdin?.sha256).toBe(sha256(longPrompt));
  });

  test.runIf(isFullRun())("three megabytes although arguments were asked for", async () => {
    const { outcome } = await playTurn(byArgument, { prompt: longPrompt, workspace: bench.workspace() });
    expect(outcome).toEqual({ kind: "completed" });
    const last = bench.invocations().at(-1);
    expect(last?.stdin?.sha256).toBe(sha256(longPrompt));
    expect(last?.argv).not.toContain("--");
  });

  test.runIf(isFullRun())("three megabytes to a program of one's own, as one line of JSON", async () => {
    const program = `read -r line\nprintf %s "$line" > "$PWD.line"
printf '{"type":"assistant_delta","data":{"content":"Got it."}}\\n{"type":"done","data":{"finishReason":"stop"}}\\n'\n`;
    const workspace = bench.workspace(program);
    const { text, turn } = await playTurn(byContract, { prompt: longPrompt, workspace, model: "custom" });
    expect(text).toBe("Got it.");
    expect(JSON.parse(readFileSync(`${workspace}.line`, "utf8"))).toEqual({
      type: "turn",
      turnId: turn.turnId,
      messages: [{ role: "user", content: longPrompt }],
      tools: [],
      workspace,
    });
  });

  test("a NUL is refused, in either style, and no session is made", async () => {
    const workspace = bench.workspace();
    const before = (await byInput.store.listSessions({})).sessions.length;
    await expect(byInput.startTurn({ prompt: "a\0b", workspace })).rejects.toMatchObject({ code: "invalid-request" });
    expect((await byInput.store.listSessions({})).sessions.length).toBe(before);
  });
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
