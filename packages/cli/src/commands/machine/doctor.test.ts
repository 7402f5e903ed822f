import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { checkNode } from "../../doctor/doctor-checks.ts";
import type { Finding } from "../../doctor/finding.ts";
import { writeLockFile } from "../../gateway/gateway-lock.ts";
import { type Tried, tryCommand } from "../testing/try-command.ts";
import { addRunCommand } from "../turns/run.ts";
import { addDoctorCommand } from "./doctor.ts";

const hasBubblewrap = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;
let directory: string;
let env: Record<string, string>;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-doctor-")));
  env = { CARET_DATA_DIR: join(directory, "data"), CARET_CONTAINMENT: "off", PATH: join(directory, "bin") };
  mkdirSync(join(directory, "bin"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function doctor(...argv: readonly string[]): Promise<Tried> {
  return tryCommand(addDoctorCommand, ["doctor", ...argv], { cwd: directory, env });
}

async function finding(check: string): Promise<{ readonly code: unknown; readonly found: Finding | undefined }> {
  const { code, stdout } = await doctor("--json");
  const findings: readonly Finding[] = JSON.parse(stdout);
  return { code, found: findings.find((candidate) => candidate.check === check) };
}

/** An agent that knows its version and answers `models` like this. */
function installAgent(models: string): void {
  install("agent", `case "$1" in --version) echo 2026.09.28-abc123;; models) ${models};; esac`);
}

function install(name: string, script: string): string {
  const file = join(directory, "bin", name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o700);
  return file;
}

it("finds a machine without the CLI fit for simulated turns, and says so", async () => {
  const { code, stdout } = await doctor();
  expect(code).toBe(0);
  expect(stdout).toContain(
    "! agent CLI: Found no agent or cursor-agent to start\n  It is what turns of the cli and acp lanes run.\n  → Install Cursor's agent CLI",
  );
  expect(stdout).toMatch(/\n✓ simulator: ready, version \S+\n! lane: auto means sim: turns are only simulated\n/);
});

it("defects 14: warns of rules that cannot be enforced on tools that an agent runs by itself", async () => {
  env["CARET_TOOLS_RULES"] = JSON.stringify([{ effect: "deny", command: "rm" }]);
  const unbound = await finding("rules");
  env["CARET_TOOLS_OWNER"] = "gateway";
  expect({ unbound: unbound.found, bound: (await finding("rules")).found }).toEqual({
    unbound: {
      check: "rules",
      state: "warn",
      detail:
        "tools.rules cannot be enforced on tools that an agent or a client runs by itself: they bind the gateway's tools only",
      fix: "Set tools.owner to gateway, so that the gateway runs the tools",
      why: "A rule that is not enforced protects nothing.",
    },
    bound: undefined,
  });
});

it("says that turns cannot be sandboxed without bubblewrap, which is a fault once they must be", async () => {
  const found = {
    check: "sandbox",
    detail: "bubblewrap is not installed",
    fix: "Install it: apt install bubblewrap",
    why: "Without it a turn's processes see the whole machine.",
  };
  expect(await finding("sandbox")).toEqual({ code: 0, found: { ...found, state: "warn" } });
  env["CARET_SANDBOX_MODE"] = "on";
  expect(await finding("sandbox")).toEqual({ code: 1, found: { ...found, state: "fail" } });
});

it.skipIf(!hasBubblewrap)("answers with --deep what a sandbox depends on, by three turns of the agent", async () => {
  env["PATH"] = process.env["PATH"] ?? "";
  const { stdout } = await doctor("--json", "--deep", "--lane", "sim");
  const findings: readonly Finding[] = JSON.parse(stdout);
  expect(findings.slice(-3)).toEqual([
    { check: "chats", state: "ok", detail: "the agent files them by its workspace" },
    { check: "strict sandbox", state: "ok", detail: "the agent answers in it" },
    {
      check: "tools in a sandbox",
      state: "ok",
      detail: "the agent's tool server reaches the gateway, and ends with its turn",
    },
  ]);
});

it("breaks its lines between words at the width of a terminal", async () => {
  const { stdout } = await tryCommand(addDoctorCommand, ["doctor"], {
    cwd: directory,
    env: { ...env, NO_COLOR: "1" },
    isTerminal: true,
  });
  expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
  expect(stdout).toMatch(/\n {2}→ Install Cursor's agent CLI/);
});

it("fails when the CLI was asked for and is not there", async () => {
  env["CARET_LANE"] = "cli";
  expect(await finding("agent CLI")).toMatchObject({ code: 1, found: { state: "fail" } });
});

it("proves the login by a real call", async () => {
  installAgent("echo 'auto - Auto'");
  expect(await finding("login")).toEqual({
    code: 0,
    found: { check: "login", state: "ok", detail: "the agent lists 1 models" },
  });
  expect((await finding("agent CLI")).found?.detail).toBe(`${directory}/bin/agent, version 2026.09.28-abc123`);
});

it("names the command that logs in when nobody is", async () => {
  installAgent("echo 'Error: Authentication required.' >&2; exit 1");
  expect(await finding("login")).toMatchObject({
    code: 1,
    found: { state: "fail", fix: expect.stringMatching(/login/) },
  });
});

it("does not take an empty list of models for a login", async () => {
  installAgent("true");
  expect(await finding("login")).toMatchObject({ code: 1, found: { state: "fail" } });
});

it("takes another vendor's agent for no Cursor CLI, and says whose it is not", async () => {
  const grok = install("agent", `[ "$1" = --version ] && echo grok 0.3.1 && exit\necho "$@" >> "${directory}/started"`);
  const { code, stdout } = await doctor();
  expect({ code, isStarted: existsSync(join(directory, "started")) }).toEqual({ code: 0, isStarted: false });
  expect(stdout).toContain(`! agent CLI: Found no agent or cursor-agent to start: ${grok} is not Cursor's`);
  expect(stdout).toContain("! lane: auto means sim: turns are only simulated");
});

it("finds cursor-agent behind another vendor's agent", async () => {
  install("agent", "echo grok 0.3.1");
  const own = install(
    "cursor-agent",
    'case "$1" in --version) echo 2026.10.01-abc123;; models) echo auto - Auto;; esac',
  );
  expect((await finding("agent CLI")).found).toEqual({
    check: "agent CLI",
    state: "ok",
    detail: `${own}, version 2026.10.01-abc123`,
  });
});

it("auto means the same lane to doctor and to the engine, also for a CLI that is not on PATH", async () => {
  const bin = join(directory, ".local", "bin");
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, "cursor-agent"), '#!/bin/sh\ncase "$1" in --version) echo 2026.10.01-abc123;; esac\n', {
    mode: 0o700,
  });
  expect((await finding("lane")).found).toEqual({ check: "lane", state: "ok", detail: "auto means cli or acp" });
  const { stdout } = await tryCommand(addRunCommand, ["run", "--json", "Hello"], { cwd: directory, env });
  expect(JSON.parse(stdout.split("\n", 1)[0] ?? "")).toMatchObject({ type: "turn-start", lane: "cli" });
});

it("warns of a data directory that others can read, with the command that closes it", async () => {
  const data = join(directory, "data");
  mkdirSync(data, { mode: 0o755 });
  chmodSync(data, 0o755);
  expect((await finding("data directory")).found).toEqual({
    check: "data directory",
    state: "warn",
    detail: `${data} is open to other users`,
    fix: `chmod 700 ${data}`,
    why: "Sessions, tokens and logins are kept there.",
    fixable: true,
  });
});

it("fails on settings that are wrong, and looks no further", async () => {
  env["CARET_LANE"] = "wire";
  const { code, stdout } = await doctor("--json");
  const findings: readonly Finding[] = JSON.parse(stdout);
  expect([code, findings.map(({ check, state }) => `${check} ${state}`)]).toEqual([
    1,
    ["node ok", "configuration fail"],
  ]);
});

it("warns of a gateway that does not answer any more", async () => {
  const url = "http://127.0.0.1:1";
  writeLockFile(join(directory, "data"), {
    url,
    pid: 1,
    startTime: null,
    version: "1.0.0",
    tokenFile: null,
    socket: null,
    settings: {},
  });
  expect((await finding("gateway")).found).toMatchObject({ state: "warn", detail: `${url} does not answer` });
});

it.each([
  ["22.22.2", "fail"],
  ["22.22.3", "ok"],
  ["22.23.0", "ok"],
  ["23.11.1", "fail"],
  ["24.14.1", "fail"],
  ["24.15.0", "ok"],
  ["25.8.2", "fail"],
  ["26.0.0", "ok"],
])("finds Node %s %s", (version, state) => {
  expect(checkNode(version)).toMatchObject({ check: "node", state });
});
