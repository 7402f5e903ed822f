import { execFile } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { clientServer } from "../acp-scenario.ts";
import { installClient } from "../loops/client-package.ts";
import { AcpHome, acpLanes } from "./acp-command.ts";

/** acpx: a client of ACP without a window. It keeps sessions over its own runs, and answers permissions by a policy. */
const acpx = { spec: "acpx@0.19.1", command: "acpx" };

const PATIENCE = { timeout: 30_000 };

let home: AcpHome;
beforeEach(() => {
  home = new AcpHome();
});
afterEach(async () => {
  await expect.poll(() => home.servers(), PATIENCE).toEqual([]);
  home.remove();
});

interface Run {
  readonly lane: keyof typeof acpLanes;
  readonly policy?: "--approve-all" | "--deny-all";
  /** Options of acpx, and of `caret acp`. */
  readonly options?: readonly string[];
  readonly args?: readonly string[];
}

async function run({ lane, policy = "--approve-all", options = [], args = [] }: Run, ...words: readonly string[]) {
  const agent = ["caret", "acp", ...acpLanes[lane], ...args].join(" ");
  const all = [policy, "--cwd", home.workspace, "--ttl", "1", ...options, "--agent", agent, ...words];
  const { stdout } = await promisify(execFile)(await installClient(acpx), all, {
    env: home.environment(),
    cwd: home.workspace,
  });
  return stdout;
}

describe.each(Object.keys(acpLanes) as (keyof typeof acpLanes)[])("acpx on the %s lane", (lane) => {
  it("prompts, allows and refuses permissions, answers a question and shows a plan", async () => {
    expect(await run({ lane }, "exec", "What is 2 + 3?")).toMatch(/2 \+ 3 = 5\s+\[done\] end_turn\s*$/);
    // It ends with 5 when every permission was denied.
    await expect(run({ lane, policy: "--deny-all" }, "exec", "Run it")).rejects.toMatchObject({ code: 5 });
    expect(existsSync(join(home.workspace, "ran.txt"))).toBe(false);
    await run({ lane }, "exec", "Run it");
    expect(existsSync(join(home.workspace, "ran.txt"))).toBe(true);
    expect(await run({ lane }, "exec", "Question")).toContain("Thank you.");
    expect(await run({ lane, args: ["--permission", "full"] }, "exec", "Plan it")).toMatch(/\[plan\][\s\S]*Look/);
  });

  it("keeps a session over restarts of the agent, and changes its model", async () => {
    const id = (await run({ lane }, "sessions", "new")).trim();
    expect(await run({ lane }, "prompt", "What is 2 + 3?")).toContain("2 + 3 = 5");
    await run({ lane }, "set", "model", "gpt-5.1");
    // The agent ends a second after its last prompt: the next one starts another, which resumes the session.
    await expect.poll(() => home.servers(), PATIENCE).toEqual([]);
    expect(await run({ lane, options: ["--format", "json"] }, "prompt", "What is 3 + 3?")).toContain(
      '"session/resume"',
    );
    expect(home.lastModel()).toBe("gpt-5.1");
    expect(await run({ lane }, "sessions", "list")).toMatch(new RegExp(`^${id}\\tWhat is 2 \\+ 3\\?\\t`));
  });

  it("cancels in the middle of a tool, in one of two sessions", async () => {
    for (const name of ["one", "two"]) await run({ lane }, "sessions", "new", "--name", name);
    const slow = run({ lane }, "prompt", "-s", "one", "Sleep");
    await expect.poll(() => home.isRunning("sleep", "600"), PATIENCE).toBe(true);
    expect(await run({ lane }, "prompt", "-s", "two", "What is 2 + 3?")).toContain("2 + 3 = 5");
    await run({ lane }, "cancel", "-s", "one");
    expect(await slow).toMatch(/`sleep 600` \(failed\)[\s\S]*\[done\] cancelled\s*$/);
  });

  it("has its own MCP server used", async () => {
    const config = join(home.directory, "mcp.json");
    const server = clientServer(join(home.directory, "server-pids"), "hush-hush-hush");
    writeFileSync(config, JSON.stringify({ mcpServers: [server] }));
    expect(await run({ lane, options: ["--mcp-config", config] }, "exec", "Echo")).toMatch(/from afar[\s\S]*Echoed\./);
  });
});
