import { existsSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { probeContainment } from "../../process/containment.ts";
import { readProcessStat } from "../../process/process-identity.ts";
import { createInlineSpawner, createSpawner } from "../../process/spawner/create-spawner.ts";
import { eventually } from "../../testing/eventually.ts";
import { createReadOutputTool } from "../outputs/output-store.ts";
import { createToolBench, type ToolBench } from "../testing/tool-bench.ts";
import { createExecTool } from "./exec-tool.ts";

const poison = {
  LD_PRELOAD: "/tmp/evil.so",
  NODE_OPTIONS: "--require=/tmp/evil.js",
  GIT_SSH_COMMAND: "evil",
  GIT_CONFIG_GLOBAL: "/tmp/evil",
  PAGER: "evil",
  BASH_ENV: "/tmp/evil.sh",
  ENV: "/tmp/evil.sh",
  CURSOR_API_KEY: "key-of-the-gateway",
  SOME_TOKEN: "unrelated",
};

let bench: ToolBench;

beforeEach(() => {
  bench = createToolBench({
    tools: (outputs) => [createExecTool({ outputs }), createReadOutputTool({ outputs })],
    env: { ...poison, LANG: "C.UTF-8" },
  });
});

afterEach(() => bench.remove());

describe("a command", () => {
  it("runs through the shell, in the workspace, with both outputs in order", async () => {
    const command = "pwd; echo out; echo err >&2; echo out again";
    expect(await bench.call("exec", { command })).toEqual({
      status: "ok",
      output: `${bench.workspace}\nout\nerr\nout again\n`,
      outcomeClass: "success",
      exitCode: 0,
    });
  });

  it("may open its outputs by name", async () => {
    const command = "echo one > /dev/stderr; echo two | tee /dev/stderr > /dev/null; echo three >> /dev/fd/1";
    expect((await bench.call("exec", { command })).output).toBe("one\ntwo\nthree\n");
    expect(readdirSync(await bench.outputs.privateDir())).toEqual([]);
  });

  it("has no children but its own", async () => {
    const command = 'read -r children < /proc/$$/task/$$/children; echo "<$children>"';
    expect((await bench.call("exec", { command })).output).toBe("<>\n");
  });

  it("given as a list is not read by any shell", async () => {
    const { output } = await bench.call("exec", { argv: ["printf", "%s\\n", "$HOME; `id`", "two words"] });
    expect(output).toBe("$HOME; `id`\ntwo words\n");
  });

  it("is known as bash and shell, too", async () => {
    const names = ["bash", "shell"].map(async (name) => (await bench.call(name, { command: "echo hi" })).output);
    expect(await Promise.all(names)).toEqual(["hi\n", "hi\n"]);
  });

  it("that fails reports its exit code", async () => {
    expect(await bench.call("exec", { command: "echo no >&2; exit 3" })).toEqual({
      status: "error",
      output: "no\n[exit code 3]",
      outcomeClass: "tool_error",
      exitCode: 3,
    });
  });

  it("that does not exist fails in the shell's words", async () => {
    const { exitCode, output } = await bench.call("exec", { argv: ["no-such-program"] });
    expect({ exitCode, saysNotFound: output.includes("not found") }).toEqual({ exitCode: 127, saysNotFound: true });
  });

  it("sees nothing of the gateway's environment that could steer it or hold a secret", async () => {
    const { output } = await bench.call("exec", { command: "env" });
    const names = output.split("\n").map((line) => line.split("=")[0] ?? "");
    expect(names.filter((name) => Object.hasOwn(poison, name))).toEqual([]);
    expect(names).toContain("LANG");
  });

  it("works in a directory of the workspace, and in no other", async () => {
    mkdirSync(bench.path("sub"));
    symlinkSync(bench.outside, bench.path("out"));
    expect((await bench.call("exec", { command: "pwd", cwd: "sub" })).output).toBe(`${bench.path("sub")}\n`);
    const refused = ["../outside", "out", "/"].map((cwd) => bench.call("exec", { command: "touch made", cwd }));
    expect((await Promise.all(refused)).map(({ outcomeClass }) => outcomeClass)).toEqual(Array(3).fill("permission"));
    expect(existsSync(`${bench.outside}/made`)).toBe(false);
  });

  it.each([
    [{}, "input.command is missing; input.argv is missing; input must match exactly one schema in oneOf"],
    [
      { command: "true", timeout: 5 },
      "input.timeout is unknown. Did you mean `timeoutMs`? Known are command, argv, cwd, timeoutMs, description",
    ],
    [
      { command: "true", timeoutMs: 0.5 },
      "input.timeoutMs must be integer, not a value of type number; input.timeoutMs must be >= 1",
    ],
  ])("with %j is not run", async (input, complaint) => {
    const { status, output } = await bench.call("exec", input);
    expect([status, output]).toEqual(["rejected", `Invalid arguments for exec: ${complaint}`]);
  });
});

describe("a command that takes too long", () => {
  /** The shell, and a grandchild that ignores politeness. */
  const stubborn = "(trap '' TERM; sh -c 'echo $PPID'; echo started; exec sleep 1000) & wait";

  const isAlive = (output: string): boolean => {
    const state = readProcessStat(Number(output.split("\n")[0]))?.state;
    return state !== undefined && state !== "Z";
  };

  it("is stopped with everything it started, and its output so far is kept", async () => {
    const result = await bench.call("exec", { command: stubborn, timeoutMs: 300 });
    expect(result.output).toMatch(/^\d+\nstarted\n\[stopped: it did not end within 300 ms\]$/);
    expect([result.status, result.outcomeClass]).toEqual(["error", "timeout"]);
    expect(isAlive(result.output)).toBe(false);
  });

  it("is stopped when the turn is cancelled", async () => {
    const cancel = new AbortController();
    const call = bench.call("exec", { command: `touch begun; ${stubborn}` }, { signal: cancel.signal });
    await eventually(() => existsSync(bench.path("begun")), "the command to begin");
    cancel.abort();
    const result = await call;
    expect([result.status, result.outcomeClass]).toEqual(["interrupted", "unknown"]);
    expect(isAlive(result.output)).toBe(false);
  });
});

it("the output of a flooding command is cut, with bounded memory, and the middle can be fetched", async () => {
  const { output } = await bench.call("exec", { command: "seq 1 300000" });
  expect(output.startsWith("1\n2\n3\n")).toBe(true);
  expect(output.endsWith("299999\n300000\n")).toBe(true);
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(64 * 1024);
  const handle = /handle "([^"]+)"/.exec(output)?.[1];
  const middle = await bench.call("read_output", { handle, offset: 1_000_000, limit: 14 });
  expect(middle.output).toBe("8730\n158731\n15\n[bytes 1000000 to 1000014 of 1988895; continue with offset 1000014]");
});

/** The process that reads a pipe in this directory, whose name is gone by then. */
function findRelay(directory: string): number {
  const inputOf = (pid: string): string => {
    try {
      return readlinkSync(`/proc/${pid}/fd/0`);
    } catch {
      return ""; // ended meanwhile, or another user's
    }
  };
  const found = readdirSync("/proc").find((pid) => /^\d+$/.test(pid) && inputOf(pid).startsWith(directory));
  if (found === undefined) throw new Error("No relay reads the command's output");
  return Number(found);
}

const containment = await probeContainment({ spawner: createInlineSpawner(), env: { PATH: "/usr/bin:/bin" } });

describe.runIf(containment.kind === "bubblewrap")("a contained command", () => {
  const call = (input: object) => bench.call("exec", input, { containment });

  it("loses none of its last words, although everything in it ends with it", async () => {
    const outputs = await Promise.all(
      Array.from({ length: 12 }, async () => (await call({ command: "seq 1 20000 | tail -n 2; echo end >&2" })).output),
    );
    expect(new Set(outputs)).toEqual(new Set(["19999\n20000\nend\n"]));
  });

  it("is given out whole where the relay of its output gets the processor only after its end", async () => {
    const spawner = createSpawner({ mode: "process" });
    try {
      const command = "touch begun; while [ ! -e go ]; do sleep 0.01; done; seq 1 5000 | tail -n 1";
      const running = bench.call("exec", { command }, { containment, spawner });
      await eventually(() => existsSync(bench.path("begun")), "the command to begin");
      const relay = findRelay(await bench.outputs.privateDir());
      const { groupId } = readProcessStat(relay) ?? {};
      process.kill(relay, "SIGSTOP");
      bench.write("go", "");
      // Its leader is gone when the spawner has seen the exit and cleared away what it would clear away.
      await eventually(() => readProcessStat(Number(groupId)) === undefined, "the container to end");
      process.kill(relay, "SIGCONT");
      expect((await running).output).toBe("5000\n");
    } finally {
      await spawner.close();
    }
  });

  it("may open its outputs by name, and reports its exit code", async () => {
    expect(await call({ command: "echo one > /dev/stderr; echo two >> /dev/fd/1; exit 3" })).toEqual({
      status: "error",
      output: "one\ntwo\n[exit code 3]",
      outcomeClass: "tool_error",
      exitCode: 3,
    });
  });

  it("that does not exist fails in the shell's words", async () => {
    const { exitCode, output } = await call({ argv: ["no-such-program"] });
    expect({ exitCode, says: output.includes("not found") }).toEqual({ exitCode: 127, says: true });
  });

  it("is stopped in time, and what it said so far is kept", async () => {
    const { output, outcomeClass } = await call({ command: "echo begun; sleep 1000", timeoutMs: 500 });
    expect({ output, outcomeClass }).toEqual({
      output: "begun\n[stopped: it did not end within 500 ms]",
      outcomeClass: "timeout",
    });
  });
});
