import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventually } from "@caret/runtime/testing/eventually.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { delta, init } from "../faults/agent-lines.ts";
import { marks, prints } from "../faults/fault.ts";
import { endOf } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

const caret = fileURLToPath(new URL("../../packages/cli/bin/caret.js", import.meta.url));
const worksOn = `sleep 600 &\nsetsid sleep 600 &\n${prints(init, delta("Working."))}${marks("up")}exec sleep 600\n`;

let bench: TurnBench;
let config: string;
beforeAll(() => {
  bench = new TurnBench();
  config = bench.configFile();
});
afterAll(() => bench.remove());

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly child: ChildProcess;
  /** What it has printed so far. */
  readonly printed: () => string;
  readonly ended: Promise<Ended>;
}

function start(workspace: string, args: readonly string[], input = ""): Started {
  const child = spawn(process.execPath, [caret, "run", "--config", config, ...args], {
    cwd: workspace,
    env: bench.environment(),
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin.end(input);
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return { child, printed: () => stdout, ended };
}

async function lastEnd(workspace: string): Promise<string> {
  const { engine, close } = await bench.open();
  const { sessions } = await engine.store.listSessions({ search: workspace });
  const [session] = sessions.filter((candidate) => candidate.workspace === workspace);
  const events = session === undefined ? [] : await engine.store.read(session.id, { limit: 1_000 });
  const last = events.at(-1)?.event;
  await close();
  return last?.type === "turn-end" ? endOf(last.outcome) : "no end";
}

describe("caret run", () => {
  test("prints the answer alone when it is asked to be quiet", async () => {
    const workspace = bench.workspace(bench.simulator({ turns: [[{ text: "You said: {{prompt}}" }]] }));
    const { ended } = start(workspace, ["--quiet", "--", "--force", "is a word"]);
    expect(await ended).toEqual({ code: 0, stdout: "You said: --force is a word\n", stderr: "" });
  });

  /** Exit codes of turns that Caret ends, with the usual clocks: a run that waits for one of them takes hours. */
  test.each(["stream-json", "contract"])(
    "leaves at once with 1 when it has stopped a turn that goes in circles: %s",
    async (dialect) => {
      const steps = Array.from({ length: 12 }, () => ({ tool: { server: "caret", name: "ls", args: { path: "." } } }));
      const workspace = bench.workspace();
      // Where Caret runs the tools the agent works in a directory of Caret's.
      const play = `#!/bin/sh\n${bench.simulator({ turns: [[...steps, { text: "Done." }]] })}\n`;
      const command = bench.program(join(bench.directory, `${dialect}-agent`), play);
      const own = { command, args: ["--contract"] };
      const models = dialect === "contract" ? { model: "own", models: { own } } : { cli: { command } };
      const clocks = { firstEventMs: 3_600_000, idleMs: 3_600_000, toolMs: 3_600_000, turnMs: 7_200_000 };
      const path = bench.configFile({ ...models, clocks, tools: { owner: "gateway" } });
      const { ended } = start(workspace, ["--config", path, "--json", "Go"]);
      const { code, stdout } = await ended;
      const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "{}");
      expect([code, JSON.stringify(last)]).toEqual([1, expect.stringContaining("loop-stopped")]);
      expect(bench.processes()).toEqual([]);
    },
  );

  test("takes three megabytes from a pipe", async () => {
    const prompt = "0123456789abcdef".repeat(200_000);
    const workspace = bench.workspace(bench.simulator({ turns: [[{ text: "Got it." }]] }));
    const { ended } = start(workspace, ["--quiet"], prompt);
    expect(await ended).toEqual({ code: 0, stdout: "Got it.\n", stderr: "" });
    const { stdin } = bench.invocations().at(-1) ?? {};
    expect(stdin?.sha256).toBe(createHash("sha256").update(prompt).digest("hex"));
  });

  test("says what failed and what to do, and exits with 1", async () => {
    const workspace = bench.workspace(bench.simulator({ turns: [[{ fail: "outdated" }]] }));
    const { ended } = start(workspace, ["--quiet", "hello"]);
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/cli-outdated[\s\S]*[Uu]pdate/);
  });

  test("runs beside another on the same data directory", async () => {
    const workspaces = [1, 2, 3].map(() => bench.workspace(bench.simulator({ turns: [[{ text: "{{prompt}}!" }]] })));
    const runs = workspaces.map((workspace, index) => start(workspace, ["--quiet", `prompt ${index}`]).ended);
    expect((await Promise.all(runs)).map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, "prompt 0!\n"],
      [0, "prompt 1!\n"],
      [0, "prompt 2!\n"],
    ]);
  });

  test("stops its turn when it is interrupted, and ends all its processes", async () => {
    const workspace = bench.workspace(worksOn);
    const { child, ended } = start(workspace, ["hello"]);
    await eventually(() => existsSync(`${workspace}.up`), "the agent is up", 15_000);
    child.kill("SIGINT");
    expect((await ended).code).toBe(130);
    expect(bench.processes(workspace)).toEqual([]);
    expect(await lastEnd(workspace)).toBe("cancelled");
  });

  test("leaves nobody behind when it is killed, and the next start ends its turn", async () => {
    const workspace = bench.workspace(worksOn);
    const { child, printed, ended } = start(workspace, ["hello"]);
    // Nothing is printed of a turn before its start is durable: an agent may be up sooner.
    await eventually(() => printed().includes("Working."), "the answer has begun", 15_000);
    child.kill("SIGKILL");
    await ended;
    await eventually(() => bench.processes(workspace).length === 0, "every descendant is gone", 2_000);
    expect(await lastEnd(workspace)).toBe("interrupted");
  });
});
