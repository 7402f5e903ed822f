import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { barSize } from "../testing/bar-size.ts";
import { createSandboxBench, hasBubblewrap, type SandboxBench } from "./testing/sandbox-bench.ts";

const STARTS = barSize({ quick: 4, full: 150 });
const tools = mkdtempSync(join(tmpdir(), "exchange-"));
const program = join(tools, "attempt");
const source = fileURLToPath(new URL("./testing/attempt.c", import.meta.url));
const canTry = hasBubblewrap && spawnSync("cc", ["--version"]).status === 0;

let bench: SandboxBench;
let outside: string;
beforeAll(() => {
  if (canTry) expect(spawnSync("cc", ["-O1", "-o", program, source, "-lutil"]).status).toBe(0);
});
afterAll(() => rmSync(tools, { recursive: true, force: true }));
beforeEach(() => {
  bench = createSandboxBench();
  outside = join(bench.directory, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret"), "CANARY\n");
});
afterEach(() => bench.close());

/** Exchanges the two paths as fast as it can while the work runs, as an agent beside it would. */
async function exchanging<Result>(one: string, other: string, work: () => Promise<Result>): Promise<Result> {
  const child = spawn(program, ["exchange", one, other], { stdio: "ignore" });
  try {
    return await work();
  } finally {
    child.kill("SIGKILL");
    await once(child, "exit");
  }
}

/** What starts in the workspace printed. One that is refused prints nothing. */
async function start(
  times: number,
  word: "on" | "strict",
  script: string,
  workspace: string,
): Promise<readonly string[]> {
  const printed: string[] = [];
  for (let count = 0; count < times; count += 1)
    printed.push(await bench.run(word, script, { workspace, sessionId: "s" }).catch(() => ""));
  return printed;
}

describe.skipIf(!canTry)("a sandbox that starts while a directory is exchanged for a link", () => {
  it("never shows what the link leads to: a directory that a strict one makes read-only", async () => {
    mkdirSync(join(bench.workspace, ".d"));
    writeFileSync(join(bench.workspace, ".d", "own"), "own\n");
    symlinkSync(outside, join(bench.workspace, "link"));
    const places = [join(bench.workspace, ".d"), join(bench.workspace, "link")] as const;
    const printed = await exchanging(...places, () => start(STARTS, "strict", "cat .d/* link/*", bench.workspace));
    expect(printed.filter((text) => text.includes("CANARY"))).toEqual([]);
    expect((await start(1, "strict", "cat .d/* link/*", bench.workspace)).join("")).toContain("own");
  });

  it("neither reads nor writes where the link leads to: the workspace itself", async () => {
    const inner = join(bench.workspace, "inner");
    mkdirSync(inner);
    symlinkSync(outside, join(bench.workspace, "link"));
    const script = "cat secret; echo written >new";
    const printed = await exchanging(inner, join(bench.workspace, "link"), () => start(STARTS, "on", script, inner));
    expect(printed.filter((text) => text.includes("CANARY"))).toEqual([]);
    // Bubblewrap makes the directories that it mounts upon before what is mounted can be compared: they are empty.
    const files = readdirSync(outside, { recursive: true }).filter((name) => name !== ".cursor" && name !== ".git");
    expect(files).toEqual(["secret"]);
  });

  it("copies nothing from there: the settings of the agent", async () => {
    mkdirSync(join(bench.workspace, ".cursor"));
    symlinkSync(outside, join(bench.workspace, "link"));
    const places = [join(bench.workspace, ".cursor"), join(bench.workspace, "link")] as const;
    const printed = await exchanging(...places, () => start(STARTS, "on", "cat .cursor/*", bench.workspace));
    expect(printed.filter((text) => text.includes("CANARY"))).toEqual([]);
  });
});
