import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type AgentMode, loadPolicy, type Policy } from "./load-policy.ts";
import type { Action } from "./permission-rule.ts";
import { usableTools } from "./usable-tools.ts";

let root: string;
let workspace: string;
let configDir: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "policy-"));
  workspace = join(root, "workspace");
  configDir = join(root, "config");
  mkdirSync(join(workspace, ".cursor"), { recursive: true });
  mkdirSync(configDir);
});
afterEach(() => rmSync(root, { recursive: true }));

function userConfig(config: object): void {
  writeFileSync(join(configDir, "cli-config.json"), JSON.stringify(config));
}

function projectConfig(permissions: object): void {
  writeFileSync(join(workspace, ".cursor", "cli.json"), JSON.stringify({ permissions }));
}

function policyOf(options: { force?: boolean; mode?: AgentMode } = {}): Policy {
  return loadPolicy({ configDir, workspace, force: options.force ?? false, mode: options.mode ?? "agent" });
}

function answers(policy: Policy): Record<string, string> {
  const actions: Record<string, Action> = {
    read: { kind: "Read", path: join(workspace, "a.txt") },
    write: { kind: "Write", path: join(workspace, "a.txt") },
    ls: { kind: "Shell", command: "ls -la" },
    echo: { kind: "Shell", command: "echo hi" },
    fetch: { kind: "WebFetch", domain: "example.com" },
    search: { kind: "WebSearch" },
    mcp: { kind: "Mcp", server: "local", tool: "echo" },
  };
  return Object.fromEntries(Object.entries(actions).map(([name, action]) => [name, policy.decide(action).kind]));
}

describe("loadPolicy", () => {
  it("reads and edits unasked, runs ls, and wants a yes for everything else", () => {
    expect(answers(policyOf())).toEqual({
      read: "allowed",
      write: "allowed",
      ls: "allowed",
      echo: "not-approved",
      fetch: "not-approved",
      search: "not-approved",
      mcp: "not-approved",
    });
  });

  it("runs everything with --force, and with the approval mode that means the same", () => {
    expect(new Set(Object.values(answers(policyOf({ force: true }))))).toEqual(new Set(["allowed"]));
    userConfig({ approvalMode: "unrestricted" });
    expect(new Set(Object.values(answers(policyOf())))).toEqual(new Set(["allowed"]));
  });

  it("only reads in plan mode, and keeps shell and MCP out of it even with --force", () => {
    expect(answers(policyOf({ force: true, mode: "plan" }))).toEqual({
      read: "allowed",
      write: "denied",
      ls: "denied",
      echo: "denied",
      fetch: "allowed",
      search: "allowed",
      mcp: "denied",
    });
  });

  it("forbids only writing in ask mode", () => {
    expect(answers(policyOf({ force: true, mode: "ask" }))).toMatchObject({ write: "denied", echo: "allowed" });
  });

  it("lets a deny rule win over --force and over an allow rule", () => {
    userConfig({ permissions: { allow: ["Shell(echo)"], deny: [] } });
    projectConfig({ deny: ["Shell(echo)", "Mcp(local:*)", "Write(*.txt)", "Read(/**)", "WebFetch(*.com)"] });
    expect(answers(policyOf({ force: true }))).toEqual({
      read: "denied",
      write: "denied",
      ls: "allowed",
      echo: "denied",
      fetch: "denied",
      search: "allowed",
      mcp: "denied",
    });
    expect(policyOf().decide({ kind: "Shell", command: "echo hi" })).toEqual({
      kind: "denied",
      by: "Shell(echo)",
      isReadonly: false,
    });
  });

  it.each([
    ["Shell(git)", "git push", true],
    ["Shell(git)", "gitk", false],
    ["Shell(git:status*)", "git status -s", true],
    ["Shell(git:status*)", "git push", false],
    ["Shell(npm run)", "npm run test", true],
    ["Shell(npm run)", "npm runx", false],
    ["Shell(*)", "/usr/bin/env true", true],
    ["Shell(py{thon,py})", "pypy x", true],
    ["Newer(thing)", "git push", false],
    ["broken", "git push", false],
  ])("reads the allow rule %s as deciding %s: %s", (token, command, allowed) => {
    userConfig({ permissions: { allow: [token] } });
    expect(policyOf().decide({ kind: "Shell", command }).kind).toBe(allowed ? "allowed" : "not-approved");
  });

  it("keeps a relative path rule inside the workspace, ** too; only an absolute one reaches outside", () => {
    projectConfig({ deny: ["Write(src/**)", "Read(**/*.env)", "Read(/secret/**)", "Read(~/**)"] });
    const policy = policyOf({ force: true });
    const decisions = [
      policy.decide({ kind: "Write", path: join(workspace, "src/deep/a.ts") }),
      policy.decide({ kind: "Write", path: "/elsewhere/src/a.ts" }),
      policy.decide({ kind: "Read", path: "/elsewhere/x.env" }),
      policy.decide({ kind: "Read", path: join(workspace, ".env") }),
      policy.decide({ kind: "Read", path: "/secret/key" }),
      policy.decide({ kind: "Read", path: join(homedir(), "notes") }),
    ];
    expect(decisions.map(({ kind }) => kind)).toEqual(["denied", "allowed", "allowed", "denied", "denied", "denied"]);
  });

  it("lets a list of absolute rules reach everywhere, and a list of relative ones only the workspace", () => {
    const paths = { workspace: join(workspace, "a/b.txt"), system: "/etc/passwd", home: join(homedir(), ".ssh/id") };
    const decided = (deny: readonly string[]) => {
      projectConfig({ deny });
      const { decide } = policyOf({ force: true });
      return Object.entries(paths).map(([where, path]) => `${where} ${decide({ kind: "Read", path }).kind}`);
    };
    expect({
      relative: decided(["Read(*)", "Read(**)"]),
      absolute: decided(["Read(**)", "Read(/**)", "Read(~/**)"]),
    }).toEqual({
      relative: ["workspace denied", "system allowed", "home allowed"],
      absolute: ["workspace denied", "system denied", "home denied"],
    });
  });

  it("falls back to the defaults when a configuration file is broken", () => {
    writeFileSync(join(configDir, "cli-config.json"), "{ not json");
    expect(policyOf().decide({ kind: "Shell", command: "ls" })).toEqual({ kind: "allowed" });
  });
});

describe("usableTools", () => {
  it("leaves out what is excluded by key or denied wholesale", () => {
    projectConfig({ deny: ["Shell(*)", "Write(/**)", "Read(secret/**)"] });
    expect(usableTools(policyOf({ force: true }), ["webFetchToolCall", "webSearchToolCall"])).toEqual([
      "read",
      "grep",
      "glob",
      "ls",
      "updateTodos",
      "task",
      "askQuestion",
    ]);
  });

  it("offers planning in plan mode and neither writing nor shell", () => {
    expect(usableTools(policyOf({ mode: "plan" }))).toEqual([
      "read",
      "grep",
      "glob",
      "ls",
      "updateTodos",
      "webFetch",
      "webSearch",
      "task",
      "askQuestion",
      "createPlan",
    ]);
  });
});
