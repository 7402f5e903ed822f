import { execFileSync } from "node:child_process";
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { createInlineSpawner } from "../process/spawner/create-spawner.ts";
import { judgeWithGit } from "./git-settings.ts";
import { createPolicy, type PolicyDecision } from "./policy.ts";
import type { PolicyMode } from "./policy-mode.ts";
import type { PolicyCall, PolicyRule } from "./policy-parts.ts";

const git = { spawner: createInlineSpawner(), env: { PATH: process.env["PATH"] } };
afterAll(() => git.spawner.close());

let root: string;
let workspace: string;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "links-")));
  workspace = join(root, "workspace");
  mkdirSync(join(workspace, "src"), { recursive: true });
  mkdirSync(join(root, "outside"));
  execFileSync("git", ["init", "-q", workspace]);
  writeFileSync(join(workspace, "src", "a.ts"), "a");
});
afterEach(() => rmSync(root, { recursive: true }));

function decide(path: string, options: { tool?: string; mode?: PolicyMode; rules?: readonly PolicyRule[] } = {}) {
  const { tool = "write", mode = "auto-edits", rules = [] } = options;
  const policy = createPolicy({ mode, rules, workspace, attended: true, newRequestId: () => "r1" });
  const call: PolicyCall = { tool, kind: tool === "read" ? "read" : "write", input: { path, content: "x" } };
  return judgeWithGit(git, (answers) => policy.decide(call, answers));
}

function link(name: string, target: string): void {
  symlinkSync(target, join(workspace, name));
}

const said = ({ effect, reason }: PolicyDecision) => ({ effect, reason });

describe("a path is judged by where it ends", () => {
  it("asks about a file of .git that is reached by a link", async () => {
    link("notes", ".git");
    expect({ named: said(await decide(".git/config")), linked: said(await decide("notes/config")) }).toEqual({
      named: { effect: "ask", reason: ".git/config decides what is run" },
      linked: { effect: "ask", reason: "notes/config leads to .git/config, which decides what is run" },
    });
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ["a link to a link", { one: ".git", two: "one" }, "two/config"],
    ["a link to the file itself", { "notes.txt": ".git/config" }, "notes.txt"],
    ["a link to a file that is not there yet", { "notes.txt": ".git/hooks/post-checkout" }, "notes.txt"],
    ["an absolute link", { notes: "<workspace>/.git/hooks" }, "notes/pre-commit"],
    ["a link and a way up", { deep: ".git/hooks" }, "deep/../config"],
    ["a link in a directory", { "src/notes": "../.git" }, "src/notes/config"],
    ["a link that leads out and in again", { out: "../outside/../workspace/.git" }, "out/config"],
    ["a link to an editor's tasks", { notes: ".vscode" }, "notes/tasks.json"],
    ["a link to the agent's hooks", { notes: ".cursor" }, "notes/hooks.json"],
    ["a link in a circle", { one: "two", two: "one" }, "one/a"],
    ["a link out of the workspace", { out: "../outside" }, "out/a"],
    ["the full name of a linked file", { notes: ".git" }, "<workspace>/notes/config"],
  ])("asks about %s", async (_what, links, path) => {
    const here = (text: string): string => text.replace("<workspace>", workspace);
    for (const [name, target] of Object.entries(links)) link(name, here(target));
    expect((await decide(here(path))).effect).toBe("ask");
  });

  it.each([
    ...[".git", ".git/config", ".GIT/config", ".Git/hooks/pre-commit", "sub/.git/config", "src/../.git/config"],
    ...[".git./config", ".git /config", "git~1/config", ".git::$INDEX_ALLOCATION/config", ".g\u200cit/config"],
    ...[".cursor/mcp.json", ".vscode/tasks.json", ".idea/workspace.xml", ".husky/pre-commit", ".envrc", "a/.envrc"],
    ...[".npmrc", ".yarnrc.yml", "bunfig.toml", ".pnpmfile.cjs", ".cargo/config.toml", ".pre-commit-config.yaml"],
    ...[
      "lefthook.yml",
      ".gitmodules",
      ".bashrc",
      ".mcp.json",
      ".claude/settings.json",
      ".devcontainer/devcontainer.json",
    ],
    ...["vendor/HEAD"],
  ])("asks about what decides what is run: %j", async (path) => {
    expect((await decide(path)).effect).toBe("ask");
  });

  it.each([
    ...["src/a.ts", "src/new/b.ts", ".gitignore", ".github/README.md", "git/config", "a.git/x", ".gitkeep", "..a"],
    ...["package.json", "Makefile", "src/cursor/hooks.json", "docs/.vitepress/config.ts", "HEAD.md", "src/head.ts"],
  ])("does not ask about an ordinary file: %s", async (path) => {
    expect((await decide(path)).effect).toBe("allow");
  });

  it("does not ask about an ordinary file that is reached by a link inside the workspace", async () => {
    link("shortcut", "src");
    expect((await decide("shortcut/a.ts")).effect).toBe("allow");
  });

  it("asks about the settings of a repository whatever its directory is named", async () => {
    execFileSync("git", ["init", "-q", "--bare", join(workspace, "fixtures", "bare")]);
    writeFileSync(join(workspace, "src", ".git"), "gitdir: ../meta\n");
    execFileSync("git", ["init", "-q", "--bare", join(workspace, "meta")]);
    expect([(await decide("fixtures/bare/config")).effect, (await decide("meta/hooks/pre-commit")).effect]).toEqual([
      "ask",
      "ask",
    ]);
  });

  it("asks about hooks in the directory that core.hooksPath names", async () => {
    execFileSync("git", ["-C", workspace, "config", "core.hooksPath", "tools/hooks"]);
    expect([(await decide("tools/hooks/pre-commit")).effect, (await decide("tools/build.ts")).effect]).toEqual([
      "ask",
      "allow",
    ]);
  });

  it.each([
    ["on one line", "[core] hooksPath = tools/hooks\n"],
    ["with a comment behind it", "[core]\n\thooksPath = tools/hooks # ours\n"],
    ["with quotes within", '[core]\n\thooksPath = tools/"hooks"\n'],
    ["on two lines", "[core]\n\thooksPath = tools/\\\nhooks\n"],
    ["in capitals", "[CORE]\n\tHOOKSPATH = tools/hooks\n"],
    ["in an included file", "[include]\n\tpath = ../first.inc\n"],
    ["where the branch says so", '[includeIf "onbranch:**"]\n\tpath = ../second.inc\n'],
  ])("asks about hooks and files that git's configuration names %s", async (_, config) => {
    execFileSync("git", ["init", "-q", workspace]);
    writeFileSync(join(workspace, ".git", "config"), `[core]\n\trepositoryformatversion = 0\n${config}`);
    writeFileSync(join(workspace, "first.inc"), "[include]\n\tpath = second.inc\n");
    writeFileSync(join(workspace, "second.inc"), "[core]\n\thooksPath = tools/hooks\n");
    expect([(await decide("tools/hooks/pre-commit")).effect, (await decide("tools/build.ts")).effect]).toEqual([
      "ask",
      "allow",
    ]);
    if (config.includes("first")) expect((await decide("first.inc")).effect).toBe("ask");
    if (config.includes(".inc")) expect((await decide("second.inc")).effect).toBe("ask");
  });

  it("asks about everything in a workspace that is itself in a .git", async () => {
    workspace = join(workspace, ".git", "hooks");
    expect((await decide("pre-commit")).effect).toBe("ask");
  });

  it("judges a workspace that is named through a link as the workspace it is", async () => {
    symlinkSync(workspace, join(root, "alias"));
    workspace = join(root, "alias");
    expect([
      (await decide("src/a.ts")).effect,
      (await decide(join(workspace, "src/a.ts"))).effect,
      (await decide(".git/x")).effect,
    ]).toEqual(["allow", "allow", "ask"]);
  });
});

describe("rules about paths", () => {
  const hidden: readonly PolicyRule[] = [{ effect: "deny", path: "secret/**" }];

  it("deny a file under every name that leads to it", async () => {
    mkdirSync(join(workspace, "secret"));
    link("open", "secret");
    link("key.txt", "secret/key");
    const effects = await Promise.all(
      ["secret/key", "open/key", "key.txt", "open/../secret/key"].map(
        async (path) => (await decide(path, { tool: "read", mode: "full", rules: hidden })).effect,
      ),
    );
    expect(effects).toEqual(["deny", "deny", "deny", "deny"]);
  });

  it("deny a name also where it leads elsewhere", async () => {
    mkdirSync(join(workspace, "public"));
    link("secret", "public");
    expect((await decide("secret/key", { mode: "full", rules: hidden })).effect).toBe("deny");
  });

  it("allow a file only where it really is", async () => {
    link("notes", ".git");
    mkdirSync(join(workspace, "docs"));
    const rules: readonly PolicyRule[] = [
      { effect: "allow", path: "notes/**" },
      { effect: "allow", path: "docs/**" },
    ];
    const effects = await Promise.all(
      ["notes/config", "docs/a.md"].map(async (path) => (await decide(path, { mode: "supervised", rules })).effect),
    );
    expect(effects).toEqual(["ask", "allow"]);
  });
});

describe("a command that writes", () => {
  const effectOf = async (command: string) => {
    const policy = createPolicy({ mode: "auto", rules: [], workspace, attended: true, newRequestId: () => "r1" });
    const call: PolicyCall = { tool: "exec", kind: "shell", input: { command } };
    return (await judgeWithGit(git, (answers) => policy.decide(call, answers))).effect;
  };

  it("is judged by where its redirection ends", async () => {
    link("notes", ".git");
    link("deep", ".git/hooks");
    expect([
      await effectOf("echo x > src/a.ts"),
      await effectOf("echo x > notes/config"),
      await effectOf("echo x >> deep/../config"),
      await effectOf("echo x > .git/config"),
    ]).toEqual(["allow", "ask", "ask", "ask"]);
  });

  it("is asked about when the file has another name, which would be changed too", async () => {
    linkSync(join(workspace, ".git", "config"), join(workspace, "notes.txt"));
    expect(await effectOf("echo x > notes.txt")).toBe("ask");
  });
});

describe("what was judged and what is run", () => {
  it("resolve to the same paths in the decision", async () => {
    link("shortcut", "src");
    expect([
      (await decide("shortcut/a.ts")).judgedPaths.toSorted(),
      (await decide("src/a.ts")).judgedPaths.toSorted(),
    ]).toEqual([
      ["", "src/a.ts"],
      ["", "src/a.ts"],
    ]);
  });
});

it("runs nothing of a link to .git after the user's own git status", async () => {
  link("notes", ".git");
  const planted = join(root, "planted");
  const before = readFileSync(join(workspace, ".git", "config"), "utf8");
  if ((await decide("notes/config")).effect === "allow")
    writeFileSync(join(workspace, "notes", "config"), `${before}[core]\n\tfsmonitor = touch ${planted}\n`);
  execFileSync("git", ["-C", workspace, "status"], { stdio: "ignore" });
  expect(existsSync(planted)).toBe(false);
  renameSync(join(workspace, "notes"), join(workspace, "moved"));
});
