import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseLines, type RunOptions, SimulatorSandbox, streamArgs } from "../cli/testing/simulator-sandbox.ts";
import type { ScenarioInput } from "./scenario.ts";

let sandbox: SimulatorSandbox;
beforeEach(() => {
  sandbox = new SimulatorSandbox();
});
afterEach(() => sandbox.remove());

type Steps = Extract<NonNullable<ScenarioInput["turns"]>[number], readonly unknown[]>;

const args = [...streamArgs, "--stream-partial-output", "hi"];
const play = (steps: Steps, options: RunOptions = {}) =>
  sandbox.run(args, { ...options, scenario: { ...options.scenario, turns: [steps] } });
const start = (steps: Steps) => sandbox.start(args, { scenario: { turns: [steps] } });
const typesOf = (stdout: string) => parseLines(stdout).map(({ type }) => type);

describe("ending the process", () => {
  it("exits before the first byte when that is the first step", async () => {
    expect(await play([{ exit: 0 }])).toEqual({ code: 0, signal: null, stdout: "", stderr: "" });
  });

  it("exits with any code after the text and without a result", async () => {
    const { code, stdout } = await play([{ text: "hi" }, { exit: 3 }]);
    expect([code, typesOf(stdout)]).toEqual([3, ["system", "user", "assistant"]]);
  });

  it("exits with 1 after a good result", async () => {
    const { code, stdout } = await play([{ text: "hi" }, { result: {} }, { exit: 1 }]);
    expect([code, typesOf(stdout).at(-1)]).toEqual([1, "result"]);
  });

  it.each(["SIGSEGV", "SIGKILL", "SIGABRT", "SIGTERM"] as const)("dies by %s", async (crash) => {
    const { code, signal, stdout } = await play([{ text: "hi" }, { crash }]);
    expect([code, signal, typesOf(stdout)]).toEqual([null, signal, ["system", "user", "assistant"]]);
    expect(signal).toBe(crash);
  });
});

describe("not ending the process", () => {
  it.each([
    ["before the first byte", [{ hang: true }], ""],
    ["after the opening", [{ init: true }, { hang: true }], '"user"'],
    ["after the result", [{ text: "hi" }, { result: {} }, { hang: true }], '"result"'],
  ] satisfies readonly [string, Steps, string][])(
    "hangs %s until it receives a signal",
    async (_where, steps, seen) => {
      const running = start(steps);
      if (seen === "") await expect.poll(() => readLog()).toHaveLength(1);
      await running.printed(seen);
      running.child.kill("SIGTERM");
      expect(await running.exited).toBe(143);
    },
  );

  it("outlives SIGTERM when it ignores it, and says so in the log", async () => {
    const running = start([{ ignoreSignals: ["SIGTERM"] }, { init: true }, { hang: true }]);
    await running.printed('"user"');
    running.child.kill("SIGTERM");
    await expect.poll(() => readLog().at(-1)).toMatchObject({ event: "signal", signal: "SIGTERM" });
    expect(running.child.exitCode).toBe(null);
    running.child.kill("SIGKILL");
    expect(await running.finished).toMatchObject({ signal: "SIGKILL" });
  });

  it("lives on after closing its stdout", async () => {
    const running = start([{ text: "hi" }, { closeStdout: true }, { text: "unheard" }, { hang: true }]);
    await new Promise((resolve) => running.child.stdout.once("end", resolve));
    expect(running.child.exitCode).toBe(null);
    running.child.kill("SIGTERM");
    expect(await running.exited).toBe(143);
  });

  it.each([false, true])("leaves a grandchild that holds the pipe (setsid %j)", async (setsid) => {
    const running = start([{ text: "hi" }, { grandchild: { seconds: 60, setsid } }]);
    expect(await running.exited).toBe(0);
    const pid = Number(readLog().at(-1)?.["grandchildPid"]);
    expect(running.child.stdout.readableEnded).toBe(false);
    const [, , , , group] = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
    expect(Number(group) === pid).toBe(setsid);
    process.kill(pid, "SIGKILL");
    expect((await running.finished).stdout).toContain('"result"');
  });
});

function readLog() {
  try {
    return sandbox.log();
  } catch {
    // Not written yet.
    return [];
  }
}

describe("bytes", () => {
  it("are written verbatim, line by line or as they stand, without an opening of their own", async () => {
    const steps: Steps = [{ raw: ["{}", "[1]"] }, { raw: "no newline" }, { raw: { base64: "AP8=" } }, { exit: 0 }];
    const running = start(steps);
    const chunks: Buffer[] = [];
    running.child.stdout.setEncoding("latin1").on("data", (text: string) => chunks.push(Buffer.from(text, "latin1")));
    await running.finished;
    expect(Buffer.concat(chunks)).toEqual(Buffer.concat([Buffer.from("{}\n[1]\nno newline"), Buffer.from([0, 0xff])]));
  });

  it("can be cut anywhere", async () => {
    const { stdout } = await play([{ raw: "Hi 😀\n", chunkBytes: 1 }, { exit: 0 }]);
    expect(stdout).toBe("Hi 😀\n");
  });

  it("stop in the middle of a line", async () => {
    const { stdout } = await play([{ text: "hi" }, { halfLine: "never finished" }, { exit: 0 }]);
    const last = stdout.split("\n").at(-1) ?? "";
    expect(last).toMatch(/^\{"type":"assistant"/);
    expect(() => JSON.parse(last)).toThrow(SyntaxError);
  });

  it("make one line of the size that was asked for", async () => {
    const { stdout } = await play([{ giantLine: 3_000_000 }, { exit: 0 }]);
    expect(stdout).toHaveLength(3_000_001);
    expect(parseLines(stdout)).toMatchObject([{ type: "assistant" }]);
  });

  it("are not always UTF-8", async () => {
    const { stdout } = await play([{ init: true }, { invalidUtf8: true }]);
    expect(stdout).toContain("bad: \uFFFD\uFFFD(");
  });

  it("flood stderr", async () => {
    const { stderr } = await play([{ stderr: "x".repeat(1024), repeat: 2048 }]);
    expect(stderr).toHaveLength(2 * 1024 * 1024);
  });
});

describe("results", () => {
  it("come twice", async () => {
    const { stdout } = await play([{ text: "hi" }, { result: { repeat: 2 } }]);
    expect(typesOf(stdout).slice(-2)).toEqual(["result", "result"]);
  });

  it("are followed by text", async () => {
    const { stdout } = await play([{ result: {} }, { text: "late" }]);
    expect(typesOf(stdout)).toEqual(["system", "user", "result", "assistant"]);
  });

  it("report errors with exit code 0", async () => {
    const { code, stdout } = await play([{ result: { isError: true, text: "It broke" } }]);
    const expected = { subtype: "error", is_error: true, result: "It broke" };
    expect([code, parseLines(stdout).at(-1)]).toEqual([0, expect.objectContaining(expected)]);
  });

  it("leave out the usage", async () => {
    const { stdout } = await play([{ usage: false }, { text: "hi" }]);
    expect(parseLines(stdout).at(-1)).not.toHaveProperty("usage");
  });
});

describe("calls", () => {
  const tool = { name: "ls", args: { path: "." } };
  const subtypesOf = (stdout: string) =>
    parseLines(stdout).flatMap(({ type, subtype }) => (type === "tool_call" ? [subtype] : []));

  it.each([
    [{ ...tool, completed: 0 }, ["started"]],
    [{ ...tool, completed: 2 }, ["started", "completed", "completed"]],
    [{ ...tool, started: false }, ["completed"]],
  ])("%j shows %j", async (call, expected) => {
    expect(subtypesOf((await play([{ tool: call }])).stdout)).toEqual(expected);
  });
});

describe("stdin", () => {
  it.each(["ignore", "close"] as const)("may be left unread (%s)", async (stdin) => {
    const scenario = { stdin, turns: [[{ text: "{{prompt}}" }]] };
    const finished = await sandbox.run(["-p", "--trust"], { scenario, input: "a prompt" });
    expect(finished.stdout).toBe("(stdin was not read)\n");
    expect(sandbox.log()[0]).not.toHaveProperty("stdin");
  });
});

describe("choosing a turn", () => {
  it("goes by invocation when asked to, whatever the chat", async () => {
    const scenario = { advance: "invocation" as const, turns: [[{ fail: "network" as const }], [{ text: "ok" }]] };
    const file = { CARET_SIM_SCENARIO: `${sandbox.directory}/shared.json` };
    (await import("node:fs")).writeFileSync(file.CARET_SIM_SCENARIO, JSON.stringify(scenario));
    const codes = [];
    for (let time = 0; time < 3; time += 1) codes.push((await sandbox.run(args, { env: file })).code);
    expect(codes).toEqual([1, 0, 0]);
  });

  it("goes by the prompt where a turn says when it applies", async () => {
    const turns = [{ when: "weather", steps: [{ text: "Rain." }] }, [{ text: "What?" }]];
    const answer = async (prompt: string) =>
      (await sandbox.run(["-p", "--trust", prompt], { scenario: { turns } })).stdout;
    expect([await answer("the weather?"), await answer("hello")]).toEqual(["Rain.\n", "What?\n"]);
  });

  it("lets the agent think for itself when no turn applies", async () => {
    const turns = [{ when: "weather", steps: [{ text: "Rain." }] }];
    expect(await sandbox.run(["-p", "--trust", "hello"], { scenario: { turns } })).toMatchObject({ code: 0 });
  });
});

describe("a bad scenario", () => {
  it.each([
    [{ turns: [[{ txt: "hi" }]] }, /A step is one of init, thinking, text/],
    [{ turns: [[{ text: 1 }]] }, /expected string/],
    [{ trns: [] }, /trns/],
  ])("%j is refused with the reason", async (scenario, reason) => {
    const { code, stdout, stderr } = await sandbox.run(args, { scenario: scenario as ScenarioInput });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(reason);
  });
});

describe("pacing", () => {
  it("waits for a slow boot", async () => {
    const began = performance.now();
    await sandbox.run(args, { scenario: { bootMs: 400, turns: [[{ exit: 0 }]] } });
    expect(performance.now() - began).toBeGreaterThan(400);
  });

  it("spreads deltas over time", async () => {
    const scenario = { tokensPerDelta: 1, deltaMs: 50, turns: [[{ text: "a b c d" }]] };
    const stamps = parseLines((await sandbox.run(args, { scenario })).stdout)
      .filter((event) => event["type"] === "assistant" && "timestamp_ms" in event)
      .map((event) => Number(event["timestamp_ms"]));
    expect(stamps).toHaveLength(4);
    expect((stamps.at(-1) ?? 0) - (stamps[0] ?? 0)).toBeGreaterThanOrEqual(140);
  });
});
