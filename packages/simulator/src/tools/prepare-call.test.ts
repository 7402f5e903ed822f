import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { McpHub } from "../mcp/mcp-hub.ts";
import type { ModelCall } from "../model/model.ts";
import { type AgentMode, loadPolicy } from "../policy/load-policy.ts";
import { createBackgroundShells } from "./background-shells.ts";
import { prepareCall } from "./prepare-call.ts";
import type { PreparedCall, TodoList, ToolContext, ToolOutcome } from "./tool-run.ts";

let root: string;
let workspace: string;
let configDir: string;
let todos: TodoList;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tools-"));
  workspace = join(root, "workspace");
  configDir = join(root, "config");
  mkdirSync(join(workspace, ".cursor"), { recursive: true });
  mkdirSync(configDir);
  todos = { items: [] };
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const mcp: McpHub = {
  servers: [],
  tools: [{ server: "local", name: "echo", description: "Says it again.", inputSchema: { type: "object" } }],
  call: ({ tool, args }) =>
    tool === "echo"
      ? Promise.resolve({ content: [{ text: { text: String(args["text"]) } }], isError: false })
      : Promise.reject(new Error(`No tool ${tool}`)),
  close: () => Promise.resolve(),
};

function prepare(call: ModelCall, options: { force?: boolean; mode?: AgentMode } = {}): PreparedCall {
  const { force = true, mode = "agent" } = options;
  let clock = 1_000;
  const context: ToolContext = {
    workspace,
    toolCallId: "call-1\nfc_1",
    mode,
    policy: loadPolicy({ configDir, workspace, force, mode }),
    mcp,
    env: process.env,
    now: () => clock++,
    turn: {
      conversationId: "chat-1",
      generationId: "turn-1",
      model: "auto",
      cursorVersion: "2026.09.28-abc",
      userEmail: null,
      transcriptPath: null,
      workspace,
    },
    outputDir: join(root, "agent-tools"),
    todos,
    shells: createBackgroundShells({ timeoutMs: undefined, signal: new AbortController().signal }),
    newId: () => "id-1",
  };
  return prepareCall(call, context);
}

function call(name: string, args: ModelCall["args"], options: { force?: boolean; mode?: AgentMode } = {}) {
  return prepare({ name, args }, options).run(AbortSignal.timeout(20_000));
}

function file(name: string, content?: string): string {
  const path = join(workspace, name);
  if (content !== undefined) writeFileSync(path, content);
  return path;
}

function hooks(steps: object): void {
  writeFileSync(join(workspace, ".cursor", "hooks.json"), JSON.stringify({ version: 1, hooks: steps }));
}

describe("read", () => {
  it("gives the whole file and counts the empty piece after the last newline", async () => {
    const path = file("a.txt", "alpha\nbeta\n");
    expect(prepare({ name: "read", args: { path: "a.txt" } })).toMatchObject({ key: "readToolCall", args: { path } });
    expect(await call("read", { path: "a.txt" })).toEqual<ToolOutcome>({
      result: {
        success: {
          content: "alpha\nbeta\n",
          isEmpty: false,
          exceededLimit: false,
          totalLines: 3,
          fileSize: 11,
          path,
          readRange: { startLine: 1, endLine: 3 },
          relatedCursorRulePaths: [],
          relatedCursorRules: [],
        },
      },
      ok: true,
      output: "alpha\nbeta\n",
    });
  });

  it("gives only the lines that were asked for", async () => {
    file("a.txt", "1\n2\n3\n4\n");
    expect(await call("read", { path: "a.txt", offset: 2, limit: 2 })).toMatchObject({
      result: { success: { content: "2\n3", readRange: { startLine: 2, endLine: 3 } } },
    });
  });

  it("says so when there is no such file", async () => {
    const errorMessage = "File not found";
    expect(await call("read", { path: "no.txt" })).toEqual({
      result: { error: { errorMessage } },
      ok: false,
      output: errorMessage,
    });
  });

  it("gives a binary file as data instead of content", async () => {
    writeFileSync(file("x.bin"), Buffer.from([1, 0, 2]));
    expect(await call("read", { path: "x.bin" })).toMatchObject({ result: { success: { data: "AQAC" } } });
  });

  it("is stopped by a hook, with the words the settings page would explain", async () => {
    file("a.txt", "secret");
    hooks({ beforeReadFile: [{ command: "echo KEEP OUT >&2; exit 2" }] });
    expect(await call("read", { path: "a.txt" })).toMatchObject({
      result: {
        error: {
          errorMessage:
            "File read was blocked by a hook: Hook blocked with message: KEEP OUT\n\nTo view or modify configured hooks, go to Cursor Settings > Hooks.\n\nAgent note: Do not suggest workarounds to the blocked tool.",
        },
      },
      ok: false,
    });
  });
});

describe("write and edit", () => {
  it("writes a new file, directories included, as an edit without a before", async () => {
    const path = file("deep/note.txt");
    const prepared = prepare({ name: "write", args: { path: "deep/note.txt", contents: "hi\n" } });
    expect([prepared.key, prepared.args]).toEqual(["editToolCall", { path, streamContent: "hi\n" }]);
    expect(await prepared.run(AbortSignal.timeout(5_000))).toEqual({
      result: {
        success: {
          path,
          linesAdded: 1,
          linesRemoved: 0,
          diffString: `--- /dev/null\n+++ b/${path}\n@@ -1,0 +1 @@\n+hi`,
          afterFullFileContent: "hi\n",
          message: `Wrote contents to ${path}`,
        },
      },
      ok: true,
      output: `Wrote contents to ${path}`,
    });
    expect(readFileSync(path, "utf8")).toBe("hi\n");
  });

  it("replaces a piece, streams only the piece, and shows the file before and after", async () => {
    const path = file("note.txt", "one\nhi there\nthree\n");
    const prepared = prepare({ name: "edit", args: { path: "note.txt", oldText: "hi", newText: "bye" } });
    expect(prepared.args).toEqual({ path, streamContent: "bye" });
    expect(await prepared.run(AbortSignal.timeout(5_000))).toMatchObject({
      result: {
        success: {
          linesAdded: 1,
          linesRemoved: 1,
          diffString: `--- a/${path}\n+++ b/${path}\n@@ -1,3 +1,3 @@\n one\n-hi there\n+bye there\n three`,
          beforeFullFileContent: "one\nhi there\nthree\n",
          afterFullFileContent: "one\nbye there\nthree\n",
          message: `The file ${path} has been updated.`,
        },
      },
      ok: true,
    });
  });

  it("edits nothing when the old text is missing or stands there twice", async () => {
    const path = file("note.txt", "a a");
    expect(await call("edit", { path, oldText: "b", newText: "c" })).toMatchObject({ result: { error: { path } } });
    expect(await call("edit", { path, oldText: "a", newText: "c" })).toMatchObject({ result: { error: { path } } });
    expect(await call("edit", { path: "no.txt", oldText: "a", newText: "c" })).toMatchObject({
      result: { fileNotFound: { path: file("no.txt") } },
    });
    expect(readFileSync(path, "utf8")).toBe("a a");
    await call("edit", { path, oldText: "a", newText: "c", replaceAll: true });
    expect(readFileSync(path, "utf8")).toBe("c c");
  });

  it("edits without --force but not in ask mode", async () => {
    await call("write", { path: "a.txt", contents: "1" }, { force: false });
    const refused = await call("write", { path: "b.txt", contents: "1" }, { mode: "ask" });
    expect({
      isAThere: existsSync(file("a.txt")),
      isBThere: existsSync(file("b.txt")),
      result: refused.result,
    }).toEqual({
      isAThere: true,
      isBThere: false,
      result: { rejected: { path: file("b.txt"), reason: "Denied by ask mode" } },
    });
  });

  it("sends afterFileEdit hooks what changed", async () => {
    hooks({ afterFileEdit: [{ command: "cat > ../seen.json" }] });
    await call("write", { path: "a.txt", contents: "1" });
    expect(JSON.parse(readFileSync(join(root, "seen.json"), "utf8"))).toMatchObject({
      file_path: file("a.txt"),
      edits: [{ old_string: "", new_string: "1" }],
    });
  });

  it("deletes a file and remembers what was in it", async () => {
    const path = file("a.txt", "xy");
    expect(await call("delete", { path: "a.txt" })).toMatchObject({
      result: { success: { path, deletedFile: path, fileSize: "2", prevContent: "xy" } },
    });
    expect(await call("delete", { path: "a.txt" })).toMatchObject({ result: { fileNotFound: { path } } });
    expect(await call("delete", { path: ".cursor" })).toMatchObject({
      result: { notFile: { actualType: "directory" } },
    });
  });
});

describe("grep, glob and ls", () => {
  beforeEach(() => {
    mkdirSync(join(workspace, "src"));
    file("src/a.ts", "one\nneedle here\n");
    file("b.md", "Needle\n");
  });

  it("finds matching lines, by file", async () => {
    expect(await call("grep", { pattern: "needle" })).toEqual({
      result: {
        success: {
          pattern: "needle",
          path: workspace,
          outputMode: "content",
          workspaceResults: {
            [workspace]: {
              content: {
                matches: [
                  {
                    file: "src/a.ts",
                    matches: [{ lineNumber: 2, content: "needle here", contentTruncated: false, isContextLine: false }],
                  },
                ],
                totalLines: 1,
                totalMatchedLines: 1,
                clientTruncated: false,
                ripgrepTruncated: false,
              },
            },
          },
        },
      },
      ok: true,
      output: "src/a.ts:2:needle here",
    });
  });

  it("lists or counts matching files, ignoring case when asked", async () => {
    const args = { pattern: "needle", caseInsensitive: true };
    expect(await call("grep", { ...args, outputMode: "files_with_matches" })).toMatchObject({
      result: { success: { workspaceResults: { [workspace]: { files: { files: ["b.md", "src/a.ts"] } } } } },
    });
    expect(await call("grep", { ...args, outputMode: "count", glob: "*.md" })).toMatchObject({
      result: { success: { workspaceResults: { [workspace]: { count: { counts: [{ file: "b.md", count: 1 }] } } } } },
    });
    expect(await call("grep", { pattern: "(" })).toMatchObject({ ok: false, result: { error: {} } });
  });

  it("finds files by glob anywhere below", async () => {
    expect(await call("glob", { globPattern: "*.ts" })).toMatchObject({
      result: { success: { pattern: "", path: workspace, files: ["src/a.ts"], totalFiles: 1 } },
    });
  });

  it("lists a directory as a tree", async () => {
    expect(await call("ls", { path: ".", ignore: [".cursor"] })).toMatchObject({
      result: {
        success: {
          directoryTreeRoot: {
            childrenDirs: [{ absPath: join(workspace, "src"), childrenFiles: [{ name: "a.ts" }] }],
            childrenFiles: [{ name: "b.md" }],
            childrenWereProcessed: true,
            fullSubtreeExtensionCounts: { ".md": 1, ".ts": 1 },
            numFiles: 2,
          },
        },
      },
      output: "src/\n  a.ts\nb.md",
    });
  });
});

describe("the rest", () => {
  it("spells todos as the wire does, and merges only when asked", async () => {
    await call("updateTodos", {
      todos: [
        { id: "1", content: "read", status: "in-progress" },
        { id: "2", content: "write" },
      ],
    });
    await call("updateTodos", { todos: [{ id: "1", content: "read", status: "completed" }], merge: true });
    expect(todos.items.map(({ id, status }) => [id, status])).toEqual([
      ["1", "TODO_STATUS_COMPLETED"],
      ["2", "TODO_STATUS_PENDING"],
    ]);
  });

  it("rejects a web fetch at once without --force, logging its own answer", async () => {
    const prepared = prepare({ name: "webFetch", args: { url: "https://example.com" } }, { force: false });
    expect(prepared.query).toEqual({
      when: "after-started",
      queryType: "webFetchRequestQuery",
      request: { args: { url: "https://example.com", toolCallId: "call-1\nfc_1" }, skipApproval: false },
      responseKey: "webFetchRequestResponse",
      response: { rejected: { reason: "User Rejected" } },
    });
    expect(await prepared.run(AbortSignal.timeout(5_000))).toMatchObject({
      result: { rejected: { reason: "User Rejected" } },
      ok: false,
    });
  });

  it("makes pages up with --force, but none for this machine", async () => {
    expect(await call("webFetch", { url: "https://example.com/x" })).toMatchObject({ ok: true });
    expect(await call("webFetch", { url: "http://127.0.0.1:80/" })).toMatchObject({ result: { error: {} } });
    expect(await call("webSearch", { searchTerm: "carets" })).toMatchObject({
      result: { success: { references: [{ title: "About carets" }] } },
    });
  });

  it("answers its own question as skipped, and keeps the question on the wire", async () => {
    const args = { title: "Which?", questions: [{ prompt: "Which file?", options: ["a.txt", "b.txt"] }] };
    const reason = "Questions skipped by the user, continue with the information you already have";
    const prepared = prepare({ name: "askQuestion", args });
    expect(prepared.query).toMatchObject({ when: "before-started", response: { result: { rejected: { reason } } } });
    expect(prepared.args).toEqual({
      title: "Which?",
      questions: [
        {
          id: "question_1",
          prompt: "Which file?",
          options: [
            { id: "a.txt", label: "a.txt" },
            { id: "b.txt", label: "b.txt" },
          ],
          allowMultiple: false,
        },
      ],
      runAsync: false,
      asyncOriginalToolCallId: "",
    });
    expect(await prepared.run(AbortSignal.timeout(5_000))).toEqual({
      result: { rejected: { reason } },
      ok: false,
      output: reason,
      keepsArgs: true,
    });
  });

  it("accepts its own plan", async () => {
    expect(await call("createPlan", { name: "Plan", plan: "1. Read" })).toMatchObject({
      result: { success: {}, planUri: "" },
      ok: true,
    });
  });

  it("runs a subagent and says how long it took in a string", async () => {
    expect(await call("task", { description: "Look", prompt: "Look around" })).toMatchObject({
      result: { success: { agentId: "id-1", isBackground: false, durationMs: "1" } },
    });
  });

  it("calls an MCP tool and wraps its text as the wire does", async () => {
    const prepared = prepare({ server: "local", name: "echo", args: { text: "HELLO" } });
    expect([prepared.key, prepared.args]).toEqual([
      "mcpToolCall",
      {
        name: "local-echo",
        args: { text: "HELLO" },
        toolCallId: "call-1\nfc_1",
        providerIdentifier: "local",
        toolName: "echo",
        smartModeApprovalOnly: false,
        skipApproval: false,
        serverIdentifier: "local",
      },
    ]);
    expect(await prepared.run(AbortSignal.timeout(5_000))).toEqual({
      result: { success: { content: [{ text: { text: "HELLO" } }], isError: false, systemReminders: [] } },
      ok: true,
      output: "HELLO",
    });
  });

  it("rejects MCP calls without --force, and turns a broken server into an error", async () => {
    const signal = AbortSignal.timeout(5_000);
    const rejected = await prepare({ server: "local", name: "echo", args: {} }, { force: false }).run(signal);
    const broken = await prepare({ server: "local", name: "gone", args: {} }).run(signal);
    expect([rejected.result, broken.result]).toEqual([
      { rejected: { reason: "User rejected MCP: local-echo", isReadonly: false } },
      { error: { error: "No tool gone", readToolDefReminder: "" } },
    ]);
  });

  it("looks up MCP tools", async () => {
    expect(await call("getMcpTools", { server: "local", toolName: "echo" })).toMatchObject({
      output: JSON.stringify({ tool: "echo", description: "Says it again.", inputSchema: { type: "object" } }, null, 2),
    });
  });

  it("shows a tool that nobody has, and says so", async () => {
    expect(prepare({ name: "teleport", args: {} }).key).toBe("teleportToolCall");
    expect(await call("teleport", {})).toMatchObject({ ok: false, output: "Unknown tool: teleport" });
  });

  it("hands on what a post-tool hook wants the model to know", async () => {
    file("a.txt", "x");
    hooks({ postToolUse: [{ command: `echo '{"additional_context":"mind the gap"}'`, matcher: "Read" }] });
    expect(await call("read", { path: "a.txt" })).toMatchObject({
      hookAdditionalContexts: [{ hookEventName: "postToolUse", content: "mind the gap" }],
    });
  });
});
