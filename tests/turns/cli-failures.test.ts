import { join } from "node:path";
import type { SessionEngine } from "@caret/runtime";
import type { ScenarioInput, Step } from "@caret/simulator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { endOf, type PlayedTurn, playTurn } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

let bench: TurnBench;
let engine: SessionEngine;

beforeAll(async () => {
  bench = new TurnBench();
  engine = (await bench.open()).engine;
});
afterAll(() => bench.remove());

/** How the real CLI says that it failed: words on standard error and an exit code. */
const failures: readonly (readonly [Extract<Step, { fail: unknown }>["fail"], code: string, fix: RegExp])[] = [
  ["usage-limit", "usage-limit", /2026-10-26/],
  ["usage-limit-free", "usage-limit", /another model/],
  ["free-plan", "model-unavailable", /auto/],
  ["rate-limited", "rate-limited", /Wait/],
  ["policy-force", "policy-disabled", /administrator/],
  ["policy-headless", "policy-disabled", /administrator/],
  ["outdated", "cli-outdated", /update/i],
  ["network", "upstream-unreachable", /network/i],
  ["unavailable", "upstream-unreachable", /again/],
  ["session-in-use", "session-busy", /Wait/],
  ["no-previous-chats", "session-not-found", /sessions/],
  ["no-sandbox", "sandbox-unavailable", /cli\.sandbox/],
];

describe("What the CLI says when it fails becomes an error with a way out", () => {
  test.each(failures)("%s is %s", async (name, code, fix) => {
    const played = await play({ turns: [[{ fail: name }]] });
    expect(endOf(played.outcome)).toBe(code);
    expect(errorOf(played)?.fix).toMatch(fix);
    expect(errorOf(played)?.upstream).not.toBe("");
  });

  test.each(["invalid-argument", "permission-denied", "failed-precondition", "unimplemented"] as const)(
    "%s is final: the turn is run once",
    async (fail) => {
      const workspace = bench.workspace(bench.simulator({ turns: [[{ fail }]] }));
      const { outcome, summary } = await playTurn(engine, { prompt: "Hello", workspace });
      expect({
        code: endOf(outcome),
        retryable: outcome.kind === "failed" && outcome.error.retryable,
        notices: summary.notices,
        runs: bench.invocations().filter(({ cwd }) => cwd === workspace).length,
      }).toEqual({ code: "upstream-error", retryable: false, notices: [], runs: 1 });
    },
  );

  test("a model that has only fallbacks in the configuration runs like any other, then falls back", async () => {
    const settings = { models: { "claude-sonnet-9-high": { fallbackModels: ["auto"] } } };
    const { engine: configured } = await bench.open({ settings });
    const workspace = bench.workspace();
    const played = await playTurn(configured, { prompt: "What is 2+2?", workspace, model: "claude-sonnet-9-high" });
    const models = bench
      .invocations()
      .filter(({ cwd }) => cwd === workspace)
      .map(({ argv }) => ({ isPrint: argv.includes("-p"), model: argv[argv.indexOf("--model") + 1] }));
    expect({ text: played.text, notices: played.summary.notices.map(({ kind }) => kind), models }).toEqual({
      text: "2+2 = 4",
      notices: ["model-fallback"],
      models: [
        { isPrint: true, model: "claude-sonnet-9-high" },
        { isPrint: true, model: "auto" },
      ],
    });
  });

  test("nobody is logged in", async () => {
    const played = await playWith({ CARET_SIM_AUTH: "out" });
    expect(endOf(played.outcome)).toBe("not-logged-in");
    expect(errorOf(played)?.fix).toContain("login");
  });

  test("a key is refused", async () => {
    const played = await playWith({ CURSOR_API_KEY: "bad-key-0123456789" });
    expect(endOf(played.outcome)).toBe("bad-key");
    expect(JSON.stringify(played.events)).not.toContain("bad-key-0123456789");
  });

  test("a key that is set but empty does not hide the login", async () => {
    const played = await playWith({ CURSOR_API_KEY: "" });
    expect(endOf(played.outcome)).toBe("completed");
    expect(bench.invocations().at(-1)?.env.names).not.toContain("CURSOR_API_KEY");
  });

  test("a model is unknown, and the nearest names are listed", async () => {
    const workspace = bench.workspace();
    const played = await playTurn(engine, { prompt: "Hello", workspace, model: "sonnet-4.5-thinkin" });
    expect(endOf(played.outcome)).toBe("model-unknown");
    expect(errorOf(played)?.fix).toMatch(/Available: /);
  });

  test("the workspace is not trusted", async () => {
    const played = await playWith({}, { cli: { trust: false } });
    expect(endOf(played.outcome)).toBe("workspace-untrusted");
    expect(errorOf(played)?.message).toContain(bench.directory);
  });

  test.each([
    [130, "killed"],
    [143, "killed"],
    [127, "cli-broken"],
    [1, "agent-crashed"],
    [0, "no-result"],
  ])("exit code %i without a word is %s", async (exit, code) => {
    const played = await play({ turns: [[{ text: "Hm." }, { exit }]] });
    expect(endOf(played.outcome)).toBe(code);
    expect(errorOf(played)?.fix).not.toBe("");
  });

  test("trouble with the network on the way to a result is none", async () => {
    const words = "Connection lost, reconnecting to https://agentn.global.api5.cursor.sh (attempt 1)...\n";
    const played = await play({ turns: [[{ stderr: words }, { text: "Here." }]] });
    expect(played.outcome).toEqual({ kind: "completed" });
  });

  test("a name that cannot be a model's never reaches the command line", async () => {
    const played = await playTurn(engine, { prompt: "Hello", workspace: bench.workspace(), model: "--force" });
    expect(endOf(played.outcome)).toBe("model-unknown");
  });
});

function play(scenario: ScenarioInput): Promise<PlayedTurn> {
  const workspace = bench.workspace(bench.simulator(scenario));
  return playTurn(engine, { prompt: "Hello", workspace });
}

let others = 0;

async function playWith(env: Readonly<Record<string, string>>, settings: object = {}): Promise<PlayedTurn> {
  others += 1;
  const dataDir = join(bench.directory, `other-${others}`);
  const opened = await bench.open({ env, settings: { dataDir, ...settings } });
  return await playTurn(opened.engine, { prompt: "Hello", workspace: bench.workspace() });
}

function errorOf({ outcome }: PlayedTurn) {
  return outcome.kind === "failed" ? outcome.error : undefined;
}
