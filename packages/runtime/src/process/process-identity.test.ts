import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { identifyProcess, readProcessStat } from "./process-identity.ts";

it("finds the start time of a process whose name looks like the fields behind it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "caret-identity-"));
  const program = join(directory, "a) S 1 (b) 2");
  symlinkSync("/bin/sleep", program);
  const child = spawn(program, ["60"]);
  await once(child, "spawn");
  const pid = child.pid ?? 0;
  const { startTime } = readProcessStat(pid) ?? {};
  expect([identifyProcess(pid), startTime]).toEqual([{ pid, startTime }, expect.stringMatching(/^\d+$/)]);
  child.kill("SIGKILL");
  await once(child, "exit");
  rmSync(directory, { recursive: true });
});

it("knows no start time of a process that is gone", async () => {
  const child = spawn("/bin/true");
  await once(child, "exit");
  const pid = child.pid ?? 0;
  expect(identifyProcess(pid)).toEqual({ pid, startTime: undefined });
});
