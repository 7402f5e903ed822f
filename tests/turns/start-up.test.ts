import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { playTurn } from "./play-turn.ts";
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
