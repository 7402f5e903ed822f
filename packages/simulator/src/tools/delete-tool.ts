import { readFileSync, statSync, unlinkSync } from "node:fs";
import { blockedText } from "../policy/run-hooks.ts";
import { absolutePath, cleanPath, type ToolArgs, text } from "./tool-args.ts";
import type { ToolContext } from "./tool-context.ts";
import { type Refusal, refusalText, type ToolDraft, type WireResult } from "./tool-draft.ts";
import type { ToolOutcome } from "./tool-run.ts";

export function deleteTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const path = absolutePath(text(input, "path"), context.workspace);
  return {
    key: "deleteToolCall",
    args: { path, toolCallId: context.toolCallId },
    hook: { toolName: "Delete", input: { file_path: path } },
    actions: [{ kind: "Write", path: cleanPath(path) }],
    refuse: (refusal) => refuse(path, refusal),
    fail: (error) => ({ error: { path, error } }),
    work: () => deleteFile(path),
  };
}

function deleteFile(path: string): ToolOutcome {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { result: { fileNotFound: { path } }, ok: false, output: "File not found" };
  if (!stats.isFile())
    return { result: { notFile: { path, actualType: "directory" } }, ok: false, output: "Not a file: directory" };
  const prevContent = readFileSync(path, "utf8");
  unlinkSync(path);
  const success = { path, deletedFile: path, fileSize: String(stats.size), prevContent };
  return { result: { success }, ok: true, output: `Deleted ${path}` };
}

function refuse(path: string, refusal: Refusal): WireResult {
  if (refusal.kind === "denied")
    return {
      permissionDenied: { path, clientVisibleError: refusalText(refusal), isReadonly: refusal.isReadonly },
    };
  return { rejected: { path, reason: refusal.kind === "hook" ? blockedText("Deletion", refusal.message) : "" } };
}
