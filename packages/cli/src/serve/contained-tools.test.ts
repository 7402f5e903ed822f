import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { type OpenedEngine, openEngine } from "../engine/compose.ts";
import type { Host } from "../host/host.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";

/** Sleeps for a time that no other process of the machine sleeps for, out of reach of groups and environments. */
const strayOf = (seconds: string): string => `setsid env -i sleep ${seconds}`;

let directory: string;
let opened: OpenedEngine | undefined;
let seconds: string;

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-contained-")));
  mkdirSync(join(directory, "project"));
  seconds = `${40_000 + Math.floor(Math.random() * 40_000)}.${process.pid}`;
});
afterEach(async () => {
  await opened?.close();
  opened = undefined;
  for (const pid of sleepers()) process.kill(pid, "SIGKILL");
  rmSync(directory, { recursive: true, force: true });
});

function sleepers(): readonly number[] {
  const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "latin1") === `sleep\0${seconds}\0`;
    } catch {
      return false; // gone meanwhile
    }
  });
}

async function open(env: Readonly<Record<string, string>>): Promise<string> {
  const stream = () => new PassThrough();
  const host: Host = {
    argv: [],
    command: "caret",
    env: {
      PATH: process.env["PATH"] ?? "",
      CARET_LANE: "sim",
      CARET_DATA_DIR: join(directory, "data"),
      CARET_CONTAINMENT: "require",
      ...env,
    },
    cwd: directory,
    home: directory,
    platform: process.platform,
    uid: process.getuid?.(),
    stdin: stream(),
    stdout: stream(),
    stderr: stream(),
    onSignal: () => () => undefined,
  };
  const { config } = loadConfig({ ...host, flags: {}, readFile: () => undefined });
  const scratch = join(scratchRoot(config), "session");
  mkdirSync(scratch, { recursive: true });
  opened = await openEngine(host, config, { workspaces: [join(directory, "project")], keepWarm: false });
  return scratch;
}

async function play(scratch: string): Promise<readonly string[]> {
  const { engine } = opened as OpenedEngine;
  const gatewayTools = { system: "", realWorkspace: join(directory, "project"), permission: "full" } as const;
  const turn = await engine.startTurn({ prompt: "Go on", workspace: scratch, force: true, gatewayTools });
  const outputs: string[] = [];
  for await (const batch of turn.follow())
    for (const { event } of batch) if (event.type === "tool-result") outputs.push(event.output);
  await turn.settled;
  return outputs;
}

describe("what the gateway starts for an agent", () => {
  it("does not outlive its call, however it hides, where containment is required", async () => {
    const scenario = join(directory, "scenario.json");
    const command = `${strayOf(seconds)} & sleep 0.3; echo started`;
    writeFileSync(
      scenario,
      JSON.stringify({ turns: [[{ tool: { server: "caret", name: "exec", args: { command } } }]] }),
    );
    const scratch = await open({ CARET_SIM_SCENARIO: scenario });
    expect({ outputs: await play(scratch), left: sleepers() }).toEqual({ outputs: ["started\n"], left: [] });
  }, 30_000);

  it.runIf(isFullRun())(
    "does not outlive the gateway when it is a tool server",
    async () => {
      const scenario = join(directory, "scenario.json");
      const read = { tool: { server: "caret", name: "ls", args: {} } };
      writeFileSync(scenario, JSON.stringify({ turns: [[read]] }));
      const server = { command: "/bin/sh", args: ["-c", `${strayOf(seconds)} & exec tail -f /dev/null`] };
      const scratch = await open({ CARET_SIM_SCENARIO: scenario, CARET_MCP_SERVERS: JSON.stringify({ odd: server }) });
      await play(scratch);
      const before = sleepers().length;
      await opened?.close();
      expect({ before, after: sleepers() }).toEqual({ before: 1, after: [] });
    },
    60_000,
  );
});
