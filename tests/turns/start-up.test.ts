import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { endOf, playTurn } from "./play-turn.ts";
import { TurnBench } from "./turn-bench.ts";

let bench: TurnBench;
let stranger: ChildProcess | undefined;

beforeEach(() => {
  bench = new TurnBench();
});
afterEach(async () => {
  stranger?.kill("SIGKILL");
  stranger = undefined;
  await bench.remove();
});

describe("Starting Caret", () => {
  test("does no harm to a process that now has the number of an old agent", async () => {
    stranger = spawn("sleep", ["600"], { stdio: "ignore" });
    await once(stranger, "spawn");
    const note = {
      mark: "11111111-2222-4333-8444-555555555555",
      process: { pid: stranger.pid, startTime: 1 },
      keeper: { pid: stranger.pid, startTime: 2 },
      bootId: "another-boot",
    };
    const notes = join(bench.dataDir, "processes");
    mkdirSync(notes, { recursive: true, mode: 0o700 });
    writeFileSync(join(notes, "stale.json"), JSON.stringify(note));
    writeFileSync(join(notes, "torn.json"), JSON.stringify(note).slice(0, 40));
    await bench.open();
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
  });

  test("fails where containment is required and bubblewrap is not there", async () => {
    const opening = bench.open({ settings: { containment: "require" }, env: { PATH: bench.directory } });
    await expect(opening).rejects.toMatchObject({ code: "sandbox-unavailable" });
    expect(bench.processes()).toEqual([]);
  });

  test("fails where containment is required and bubblewrap does not work", async () => {
    bench.program(
      join(bench.directory, "bwrap"),
      "#!/bin/sh\necho 'bwrap: No permissions to create namespace' >&2\nexit 1\n",
    );
    const opening = bench.open({
      settings: { containment: "require" },
      env: { PATH: `${bench.directory}:/usr/bin:/bin` },
    });
    await expect(opening).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: expect.stringContaining("No permissions"),
    });
  });

  test("runs bare where containment was not required and bubblewrap does not work", async () => {
    bench.program(join(bench.directory, "bwrap"), "#!/bin/sh\nexit 1\n");
    const env = { PATH: `${bench.directory}:/usr/bin:/bin` };
    const { engine } = await bench.open({ settings: { containment: "auto" }, env });
    const { outcome } = await playTurn(engine, { prompt: "Hello", workspace: bench.workspace() });
    expect(outcome).toEqual({ kind: "completed" });
  });
});

describe("Another vendor's program called agent", () => {
  const settings = { cli: { command: undefined } };

  /** It writes down how it is started, and what it is given. */
  function installStranger(directory: string): string {
    mkdirSync(directory, { recursive: true });
    const started = join(bench.directory, "started");
    writeFileSync(started, "");
    const note = `echo "$*" >> '${started}'; [ "$1" = --version ] && echo 'grok 0.3.1' && exit 0; cat >> '${started}'; exit 2`;
    bench.program(join(directory, "agent"), `#!/bin/sh\n${note}\n`);
    return started;
  }

  test("is never given a prompt: cursor-agent is started", async () => {
    const bin = join(bench.directory, "bin");
    const started = installStranger(bin);
    bench.program(join(bin, "cursor-agent"), `#!/bin/sh\n${bench.simulator()}\n`);
    const { engine } = await bench.open({ settings, env: { PATH: `${bin}:/usr/bin:/bin` } });
    const { outcome, text } = await playTurn(engine, { prompt: "What is 2+2?", workspace: bench.workspace() });
    expect({ outcome, text, started: readFileSync(started, "utf8") }).toEqual({
      outcome: { kind: "completed" },
      text: "2+2 = 4",
      started: "",
    });
  });

  test("is never given a prompt, also when there is no other, and is asked for its version once", async () => {
    const bin = join(bench.directory, "bin");
    const started = installStranger(bin);
    const { engine } = await bench.open({ settings, env: { PATH: `${bin}:/usr/bin:/bin` } });
    const ends: string[] = [];
    for (const prompt of ["My secret plan", "Once more"]) {
      const { outcome } = await playTurn(engine, { prompt, workspace: bench.workspace() });
      ends.push(endOf(outcome));
    }
    expect({ ends, started: readFileSync(started, "utf8") }).toEqual({
      ends: ["cli-missing", "cli-missing"],
      started: "--version\n",
    });
  });

  test("makes auto simulate, and say whose it is not", async () => {
    const bin = join(bench.directory, "bin");
    installStranger(bin);
    const opened = await bench.open({ settings: { ...settings, lane: "auto" }, env: { PATH: `${bin}:/usr/bin:/bin` } });
    expect({ lane: opened.lane, notes: opened.notes }).toEqual({
      lane: "sim",
      notes: [
        expect.stringContaining("turns are simulated"),
        `${bin}/agent is not Cursor's (its --version prints "grok 0.3.1").`,
      ],
    });
  });
});
