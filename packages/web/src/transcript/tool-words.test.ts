import type { ToolActivity, ToolKind } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { directoryOf, toolWords } from "./tool-words.ts";

function tool(kind: ToolKind, input: unknown, fields: Partial<ToolActivity> = {}): ToolActivity {
  return { callId: "c", name: kind, kind, owner: "agent", input, status: "ok", output: "", ...fields };
}

describe("toolWords", () => {
  it("shows a command, however it was given", () => {
    expect(toolWords(tool("shell", { command: "npm test" }))).toEqual({
      verb: "Run",
      subject: "npm test",
      look: "code",
    });
    expect(toolWords(tool("shell", { argv: ["git", "status"] })).subject).toBe("git status");
    expect(toolWords(tool("shell", null)).subject).toBe("shell");
  });

  it("says which lines of a file were read", () => {
    expect(toolWords(tool("read", { path: "a.ts", offset: 10, limit: 40 }))).toEqual({
      verb: "Read",
      subject: "a.ts",
      look: "path",
      note: "lines 10–49",
    });
    expect(toolWords(tool("read", { target_file: "a.ts", offset: 3 })).note).toBe("from line 3");
    expect(toolWords(tool("read", { file_path: "a.ts" })).note).toBe(undefined);
  });

  it("says what was searched for, where, and how much was found", () => {
    const input = { pattern: "TODO", path: "src" };
    expect(toolWords(tool("search", input, { output: "a\nb\n" }))).toEqual({
      verb: "Search",
      subject: "TODO in src",
      look: "code",
      note: "2 lines",
    });
    expect(toolWords(tool("search", input)).note).toBe("nothing found");
    expect(toolWords(tool("search", input, { status: "running" })).note).toBe(undefined);
    expect(toolWords(tool("search", { path: "src" })).subject).toBe("src");
  });

  it("distinguishes deleting from editing, and finds the path in the change when the call does not name it", () => {
    expect(toolWords(tool("edit", { path: "a" }, { name: "delete" })).verb).toBe("Delete");
    expect(toolWords(tool("edit", {}, { diff: { path: "b.ts" } }))).toEqual({
      verb: "Edit",
      subject: "b.ts",
      look: "path",
    });
  });

  it("names server and tool of an MCP call, and the bare name of what it does not know", () => {
    expect(toolWords(tool("mcp", { a: 1 }, { server: "github", name: "list_issues" }))).toMatchObject({
      verb: "github",
      subject: "list_issues",
    });
    expect(toolWords(tool("other", {}, { name: "generateImage" }))).toMatchObject({
      verb: "generateImage",
      subject: "",
    });
  });
});

describe("directoryOf", () => {
  it("finds the directory under each of its names", () => {
    expect([{ cwd: "a" }, { workingDirectory: "b" }, { cwd: "" }, undefined].map(directoryOf)).toEqual([
      "a",
      "b",
      undefined,
      undefined,
    ]);
  });
});
