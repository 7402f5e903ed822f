import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { AgentEvent, SandboxWord } from "@caret/protocol";
import type { TurnRequest } from "@caret/runtime";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { loadConfig } from "../config/load-config.ts";
import { type OpenedEngine, openEngine } from "../engine/compose.ts";
import type { Host } from "../host/host.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";

const directory = realpathSync(mkdtempSync(join(tmpdir(), "caret-sandboxed-")));
const home = join(directory, "home");
const hasBubblewrap = spawnSync("bwrap", ["--unshare-user", "--ro-bind", "/", "/", "true"]).status === 0;
let opened: OpenedEngine;
let project: string;
let count = 0;

function hostWith(env: Readonly<Record<string, string>> = {}): Host {
  const stream = () => new PassThrough();
  return {
    argv: [],
    command: "caret",
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: home,
      CARET_LANE: "sim",
      CARET_DATA_DIR: join(directory, "data"),
      CARET_WORKSPACES_ALLOW: directory,
      ...env,
    },
    cwd: directory,
    home,
    platform: process.platform,
    uid: process.getuid?.(),
    stdin: stream(),
    stdout: stream(),
    stderr: stream(),
    onSignal: () => () => undefined,
  };
}

async function open(env: Readonly<Record<string, string>> = {}): Promise<OpenedEngine> {
  const host = hostWith(env);
  const { config } = loadConfig({ ...host, flags: {}, readFile: () => undefined });
  mkdirSync(scratchRoot(config), { recursive: true });
  return await openEngine(host, config, { workspaces: [directory], keepWarm: false });
}

function git(...args: readonly string[]): string {
  return execFileSync("git", ["-C", project, "-c", "user.name=Ada", "-c", "user.email=ada@example.com", ...args], {
    encoding: "utf8",
  });
}

/** Everything that lies in a directory, with links and hidden files. */
function tree(path: string): readonly string[] {
  return (readdirSync(path, { recursive: true }) as string[]).sort();
}

beforeAll(async () => {
  mkdirSync(join(home, ".ssh"), { recursive: true });
  writeFileSync(join(home, ".ssh", "key"), "a private key");
  writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = Ada\n\temail = ada@example.com\n");
  opened = await open();
});
afterAll(async () => {
  await opened.close();
  rmSync(directory, { recursive: true, force: true });
});
beforeEach(() => {
  count += 1;
  project = join(directory, `project-${count}`);
  mkdirSync(project);
});
afterEach(() => rmSync(project, { recursive: true, force: true }));

interface Played {
  readonly events: readonly AgentEvent[];
  readonly outputs: readonly string[];
  readonly sessionId: string;
}

async function play(sandbox: SandboxWord, prompt: string, more: Partial<TurnRequest> = {}): Promise<Played> {
  const turn = await opened.engine.startTurn({ prompt, workspace: project, force: true, sandbox, ...more });
  const events: AgentEvent[] = [];
  for await (const batch of turn.follow()) events.push(...batch.map(({ event }) => event));
  await turn.settled;
  const outputs = events.flatMap((event) => (event.type === "tool-result" ? [event.output] : []));
  return { events, outputs, sessionId: turn.sessionId };
}

describe.skipIf(!hasBubblewrap)("an agent in a sandbox", () => {
  it("works in its workspace, sees no file of the user, and leaves nothing behind in it", async () => {
    const { events, outputs } = await play("strict", `Run \`cat ${home}/.ssh/key 2>&1; echo made >new; ls -A\``);
    expect(outputs).toEqual([`cat: ${home}/.ssh/key: No such file or directory\n.cursor\n.git\nnew\n`]);
    expect(events[0]).toMatchObject({ type: "turn-start", sandbox: "strict" });
    expect({ left: tree(project), text: readFileSync(join(project, "new"), "utf8") }).toEqual({
      left: ["new"],
      text: "made\n",
    });
  });

  it("remembers what was said in an earlier turn: the chats of its workspace are there", async () => {
    const first = await play("strict", "Remember the word ocarina");
    const { events } = await play("strict", "What did I ask you to remember?", { sessionId: first.sessionId });
    expect(events.filter(({ type }) => type === "notice")).toEqual([]);
    expect(JSON.stringify(events)).toContain("ocarina");
  });

  it("can commit in a repository, whose hooks and configuration it cannot change", async () => {
    git("init", "-q", "-b", "main");
    const before = tree(project).filter((name) => !/objects|logs|refs|index|COMMIT_EDITMSG/.test(name));
    const { outputs } = await play(
      "on",
      "Run `echo x >a; git add a; git commit -qm made; git log --format=%s%ae; git config a.b c`",
    );
    expect(outputs).toEqual(["madeada@example.com\n"]);
    expect(git("log", "--format=%s")).toBe("made\n");
    expect(git("config", "--list", "--local")).not.toContain("a.b");
    expect(tree(project).filter((name) => !/objects|logs|refs|index|COMMIT_EDITMSG/.test(name))).toEqual(
      [...before, "a"].sort(),
    );
  });

  it("can commit in a linked worktree, and not change the repository it belongs to", async () => {
    git("init", "-q", "-b", "main");
    git("commit", "-q", "--allow-empty", "-m", "first");
    const worktree = join(directory, `worktree-${count}`);
    git("worktree", "add", "-q", worktree);
    const script = `echo x >a; git add a; git commit -qm made; echo evil >${project}/.git/hooks/x; ls ${project}`;
    const { outputs } = await play("strict", `Run \`${script}\``, { workspace: worktree });
    expect(outputs).toEqual([expect.stringMatching(/nonexistent\n.*No such file or directory\n$/)]);
    expect(tree(join(project, ".git", "hooks"))).not.toContain("x");
    expect(git("log", "--all", "--topo-order", "--format=%s")).toBe("made\nfirst\n");
    git("worktree", "remove", "--force", worktree);
  });

  it.each(["the agent", "the gateway"])("is told on before the turn's end, where %s ran what it left", async (who) => {
    const scratch = mkdtempSync(join(directory, "data", "scratch", "session-"));
    const gatewayTools = { system: "", realWorkspace: project, permission: "full" } as const;
    const script = "Run `echo x >.envrc; echo y >.npmrc`";
    const more = who === "the agent" ? {} : { workspace: scratch, gatewayTools };
    const [on, strict] = [await play("on", script, more), await play("strict", `${script}.`, more)];
    const last = ({ events }: Played): unknown =>
      events.slice(-2).map((event) => ("message" in event ? event.message : event.type));
    expect(last(on)).toEqual([
      expect.stringMatching(/^The turn made or changed files.*: \.envrc, \.npmrc\.$/),
      "turn-end",
    ]);
    expect([strict.events.at(-1)?.type, tree(project)]).toEqual(["turn-end", [".envrc", ".npmrc"]]);
  });

  it("only reads its workspace when it only plans", async () => {
    const { outputs } = await play("on", "Run `echo x >a`", { mode: "ask" });
    expect({ outputs, left: tree(project) }).toEqual({ outputs: [expect.stringContaining("Read-only")], left: [] });
  });

  it("finds the project's rules in .cursor, and what Caret put there, but no program of a strict project's", async () => {
    mkdirSync(join(project, ".cursor", "rules"), { recursive: true });
    writeFileSync(join(project, ".cursor", "rules", "a.mdc"), "Be brief.");
    writeFileSync(join(project, ".cursor", "hooks.json"), "{}");
    const sandboxAdditions = { cursorFiles: { "mcp.json": '{"mcpServers":{}}' } };
    const look = "Run `cd .cursor && find . -type f | sort`";
    expect((await play("strict", look, { sandboxAdditions })).outputs).toEqual(["./mcp.json\n./rules/a.mdc\n"]);
    expect((await play("on", look, { sandboxAdditions })).outputs).toEqual([
      "./hooks.json\n./mcp.json\n./rules/a.mdc\n",
    ]);
    expect(tree(join(project, ".cursor"))).toEqual(["hooks.json", "rules", "rules/a.mdc"]);
  });

  it("reaches the tools that it is offered through the gateway's socket, which its MCP server finds inside", async () => {
    const scratch = mkdtempSync(join(directory, "data", "scratch", "session-"));
    const gatewayTools = { system: "", realWorkspace: project, permission: "full" } as const;
    const command = `Run \`exec 2>&1; cat ${home}/.ssh/key; echo made >new; echo evil >.cursor/x; pwd\``;
    const { outputs } = await play("strict", command, { workspace: scratch, gatewayTools });
    expect(outputs).toEqual([expect.stringMatching(new RegExp(`No such file[^]*Read-only[^]*${project}\n$`))]);
    expect(tree(project)).toEqual(["new"]);
  });

  it("has the gateway's tools use no editor, which is outside of its walls", async () => {
    const scratch = mkdtempSync(join(directory, "data", "scratch", "session-"));
    const used: string[] = [];
    const outside = (what: string) => async (): Promise<never> => {
      used.push(what);
      throw new Error("An editor was asked");
    };
    const editor = { readText: outside("read"), writeText: outside("write"), run: outside("run") };
    const gatewayTools = { system: "", realWorkspace: project, permission: "full", editor } as const;
    await play("on", "Create a file named a.txt with the content inside", { workspace: scratch, gatewayTools });
    expect([used, readFileSync(join(project, "a.txt"), "utf8").trim()]).toEqual([[], "inside"]);
    await play("off", "Create a file named b.txt with the content outside", { workspace: scratch, gatewayTools });
    expect([used, tree(project)]).toEqual([["read"], ["a.txt"]]);
  });

  it("cannot have the gateway write what it cannot write itself", async () => {
    const scratch = mkdtempSync(join(directory, "data", "scratch", "session-"));
    const gatewayTools = { system: "", realWorkspace: project, permission: "full" } as const;
    const { outputs } = await play("on", "Create a file named .cursor/mcp.json with the content evil", {
      workspace: scratch,
      gatewayTools,
    });
    expect({ outputs, left: tree(project) }).toEqual({ outputs: [expect.stringMatching(/rule/)], left: [] });
  });
});

describe.skipIf(!hasBubblewrap)("a turn that is to have a sandbox", () => {
  it("is refused, and leaves no session, where there is none; the error says what to do", async () => {
    const other = await open({ PATH: "/nowhere", CARET_DATA_DIR: join(directory, "other") });
    const refused = other.engine.startTurn({ prompt: "Hello", workspace: project, sandbox: "on" });
    await expect(refused).rejects.toMatchObject({
      code: "sandbox-unavailable",
      message: "There is no sandbox here: bubblewrap is not installed",
      fix: "Install it: apt install bubblewrap",
    });
    expect((await other.engine.store.listSessions({})).sessions).toEqual([]);
    await other.close();
  });

  it("has the strictest that the setting, its session and its request ask for", async () => {
    const strict = await open({ CARET_SANDBOX_MODE: "strict", CARET_DATA_DIR: join(directory, "strict") });
    const turn = await strict.engine.startTurn({ prompt: "Hello", workspace: project, sandbox: "off" });
    const [[first] = []] = await Array.fromAsync(turn.follow());
    expect(first?.event).toMatchObject({ sandbox: "strict" });
    await turn.settled;
    await strict.close();
  });

  it("is refused in a directory that holds the user's home, or has a link for its .cursor", async () => {
    const { events } = await play("on", "Hello", { workspace: directory });
    expect(events.at(-1)).toMatchObject({ outcome: { kind: "failed", error: { code: "workspace-forbidden" } } });
    execFileSync("ln", ["-s", "/tmp", join(project, ".cursor")]);
    const linked = await play("on", "Hello");
    expect(linked.events.at(-1)).toMatchObject({ outcome: { kind: "failed", error: { code: "workspace-forbidden" } } });
  });
});
