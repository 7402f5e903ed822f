import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readHookConfig } from "./hook-config.ts";
import { blockedText, type HookRun, type HookVerdict, runHooks } from "./run-hooks.ts";

let root: string;
let workspace: string;
let configDir: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "hooks-"));
  workspace = join(root, "workspace");
  configDir = join(root, "config");
  mkdirSync(join(workspace, ".cursor"), { recursive: true });
  mkdirSync(configDir);
});
afterEach(() => rmSync(root, { recursive: true }));

/** A hook program of one line of JavaScript; `payload` is what came on its standard input. */
function hook(code: string): string {
  const file = join(root, `hook-${Math.abs(hash(code))}.mjs`);
  writeFileSync(
    file,
    `import fs from "node:fs"; const payload = JSON.parse(fs.readFileSync(0, "utf8")); ${code.replaceAll("\n", ";")}`,
  );
  return `"${process.execPath}" "${file}"`;
}

function hash(text: string): number {
  return [...text].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) | 0, 7);
}

function configure(scope: "project" | "user", hooks: object): void {
  const file = scope === "project" ? join(workspace, ".cursor", "hooks.json") : join(configDir, "hooks.json");
  writeFileSync(file, JSON.stringify({ version: 1, hooks }));
}

function fire(overrides: Partial<HookRun> = {}): Promise<HookVerdict> {
  return runHooks(readHookConfig({ workspace, configDir }), {
    step: "preToolUse",
    toolName: "Shell",
    payload: { tool_name: "Shell" },
    env: process.env,
    turn: {
      conversationId: "chat-1",
      generationId: "turn-1",
      model: "auto",
      cursorVersion: "2026.09.28-abc",
      userEmail: null,
      transcriptPath: "/transcript.jsonl",
      workspace,
    },
    ...overrides,
  });
}

describe("runHooks", () => {
  it("has no opinion when no hook is configured", async () => {
    expect(await fire()).toEqual({ contexts: [] });
  });

  it("sends a hook everything about the turn on its standard input", async () => {
    const seen = join(root, "seen.json");
    configure("project", {
      preToolUse: [{ command: hook(`fs.writeFileSync(${JSON.stringify(seen)}, JSON.stringify(payload))`) }],
    });
    await fire();
    expect(JSON.parse(readFileSync(seen, "utf8"))).toEqual({
      conversation_id: "chat-1",
      generation_id: "turn-1",
      model: "auto",
      tool_name: "Shell",
      session_id: "chat-1",
      hook_event_name: "preToolUse",
      cursor_version: "2026.09.28-abc",
      workspace_roots: [workspace],
      user_email: null,
      transcript_path: "/transcript.jsonl",
    });
  });

  it("blocks on exit code 2 with the words of stderr", async () => {
    configure("user", { preToolUse: [{ command: hook('process.stderr.write("not today")\nprocess.exit(2)') }] });
    expect(await fire()).toEqual({ blocked: "not today", contexts: [] });
  });

  it("blocks on a deny answer and leaves the later hooks alone", async () => {
    const later = join(root, "later");
    configure("project", {
      preToolUse: [
        { command: hook('console.log(JSON.stringify({ permission: "deny", agent_message: "ask Ada first" }))') },
      ],
    });
    configure("user", { preToolUse: [{ command: hook(`fs.writeFileSync(${JSON.stringify(later)}, "")`) }] });
    expect({ fired: await fire(), isLaterThere: existsSync(later) }).toEqual({
      fired: { blocked: "ask Ada first", contexts: [] },
      isLaterThere: false,
    });
  });

  it("lets the call pass when a hook crashes, unless it is to fail closed", async () => {
    const crash = hook("process.exit(7)");
    configure("project", { preToolUse: [{ command: crash }] });
    expect(await fire()).toEqual({ contexts: [] });
    configure("project", { preToolUse: [{ command: crash, failClosed: true }] });
    expect(await fire()).toEqual({ blocked: `Hook failed: ${crash}`, contexts: [] });
  });

  it("kills a hook that takes too long, and its children", async () => {
    configure("project", { preToolUse: [{ command: "sleep 60 & sleep 60", timeout: 0.2, failClosed: true }] });
    expect(await fire()).toEqual({ blocked: "Hook failed: sleep 60 & sleep 60", contexts: [] });
  });

  it("asks only the hooks whose matcher fits the tool", async () => {
    configure("project", { preToolUse: [{ command: hook("process.exit(2)"), matcher: "Read|Write" }] });
    expect([await fire(), await fire({ toolName: "Read" })]).toEqual([{ contexts: [] }, { blocked: "", contexts: [] }]);
  });

  it("hands on what a hook wants the model to know", async () => {
    configure("project", {
      postToolUse: [{ command: hook('console.log(JSON.stringify({ additional_context: "run the tests" }))') }],
    });
    expect(await fire({ step: "postToolUse" })).toEqual({ contexts: ["run the tests"] });
  });
});

describe("blockedText", () => {
  it("names the subject and points at the settings", () => {
    expect(blockedText("File read", "no")).toMatchInlineSnapshot(`
      "File read was blocked by a hook: Hook blocked with message: no

      To view or modify configured hooks, go to Cursor Settings > Hooks.

      Agent note: Do not suggest workarounds to the blocked tool."
    `);
  });
});
