import { mkdirSync, readFileSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { blockedText } from "../policy/run-hooks.ts";
import { readHookPayload } from "./read-tool.ts";
import { type OwnHook, type Refusal, refusalText, type ToolDraft, type WireResult } from "./tool-draft.ts";
import { absolutePath, cleanPath, type ToolArgs, type ToolContext, type ToolOutcome, text } from "./tool-run.ts";

const CONTEXT_LINES = 3;

/** Writes the file and describes the change as the agent's edit tool does. */
function applyChange(change: FileChange, message: string, showsBefore: boolean): ToolOutcome {
  const { path, before, after } = change;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, after);
  } catch (reason) {
    const error = reason instanceof Error ? reason.message : String(reason);
    const denied = /EACCES|EPERM|EROFS/.test(error);
    const arm = denied ? { writePermissionDenied: { path, error, isReadonly: false } } : { error: { path, error } };
    return { result: arm, ok: false, output: error };
  }
  const full = showsBefore && before !== undefined ? { beforeFullFileContent: before } : {};
  const success = { path, ...diffString(change), ...full, afterFullFileContent: after, message };
  return { result: { success }, ok: true, output: message };
}

function refuseEdit(path: string, refusal: Refusal): WireResult {
  if (refusal.kind === "denied" && !refusal.isReadonly)
    return { writePermissionDenied: { path, error: refusalText(refusal), isReadonly: false } };
  const reason = refusal.kind === "hook" ? blockedText("File edit", refusal.message) : refusalText(refusal);
  return { rejected: { path, reason } };
}

function failEdit(path: string, error: string): WireResult {
  return { error: { path, error, modelVisibleError: error } };
}

/** `afterFileEdit` fires only for an edit that happened. */
function afterEdit(path: string, edit: { readonly oldText: string; readonly newText: string }) {
  return ({ ok }: ToolOutcome): readonly OwnHook[] => {
    const edits = [{ old_string: edit.oldText, new_string: edit.newText }];
    return ok ? [{ step: "afterFileEdit", payload: () => ({ file_path: path, edits }) }] : [];
  };
}

/** Replacing a piece of a file: `streamContent` is only the new piece, never the file. Hooks see it as a Write. */
export function editTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const path = absolutePath(text(input, "path"), context.workspace);
  const edit = { oldText: text(input, "oldText"), newText: text(input, "newText") };
  return {
    key: "editToolCall",
    args: { path, streamContent: edit.newText },
    hook: { toolName: "Write", input: { file_path: path, content: edit.newText } },
    before: [{ step: "beforeReadFile", payload: () => readHookPayload(path) }],
    after: afterEdit(path, edit),
    actions: [
      { kind: "Read", path: cleanPath(path) },
      { kind: "Write", path: cleanPath(path) },
    ],
    refuse: (refusal) => refuseEdit(path, refusal),
    fail: (message) => failEdit(path, message),
    work: () => replace(path, edit, input["replaceAll"] === true),
  };
}

function replace(path: string, edit: { oldText: string; newText: string }, replaceAll: boolean): ToolOutcome {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    return { result: { fileNotFound: { path } }, ok: false, output: "File not found" };
  const before = readFileSync(path, "utf8");
  const matches = edit.oldText === "" ? 0 : before.split(edit.oldText).length - 1;
  if (matches === 0) return refused(path, "The string to replace was not found in the file.");
  if (matches > 1 && !replaceAll)
    return refused(path, `The string to replace was found ${matches} times; give more of its surroundings.`);
  const after = before.split(edit.oldText).join(edit.newText);
  return applyChange({ path, before, after }, `The file ${path} has been updated.`, true);
}

function refused(path: string, error: string): ToolOutcome {
  return { result: failEdit(path, error), ok: false, output: error };
}

/** Writing a whole file travels as an edit whose `streamContent` is the file. */
export function writeTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const path = absolutePath(text(input, "path"), context.workspace);
  const contents = text(input, "contents");
  return {
    key: "editToolCall",
    args: { path, streamContent: contents },
    hook: { toolName: "Write", input: { file_path: path, content: contents } },
    after: afterEdit(path, { oldText: "", newText: contents }),
    actions: [{ kind: "Write", path: cleanPath(path) }],
    refuse: (refusal) => refuseEdit(path, refusal),
    fail: (message) => failEdit(path, message),
    work: () => {
      const exists = statSync(path, { throwIfNoEntry: false })?.isFile() === true;
      const before = exists ? readFileSync(path, "utf8") : undefined;
      return applyChange({ path, before, after: contents }, `Wrote contents to ${path}`, false);
    },
  };
}

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

interface FileChange {
  readonly path: string;
  /** Absent for a file that was not there. */
  readonly before: string | undefined;
  readonly after: string;
}

interface DiffSummary {
  readonly linesAdded: number;
  readonly linesRemoved: number;
  readonly diffString: string;
}

/** One hunk from the first to the last line that differs, in the agent's own spelling of a unified diff. */
function diffString({ path, before, after }: FileChange): DiffSummary {
  const old = toLines(before ?? "");
  const now = toLines(after);
  const shorter = Math.min(old.length, now.length);
  const same = (index: number) => old[index] === now[index];
  let head = 0;
  while (head < shorter && same(head)) head++;
  let tail = 0;
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  const above = old.slice(Math.max(0, head - CONTEXT_LINES), head);
  const below = old.slice(old.length - tail, Math.min(old.length, old.length - tail + CONTEXT_LINES));
  const start = head - above.length + 1;
  const context = above.length + below.length;
  const lines = [
    before === undefined ? "--- /dev/null" : `--- a/${path}`,
    `+++ b/${path}`,
    `@@ -${range(start, removed.length + context)} +${range(start, added.length + context)} @@`,
    ...above.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...below.map((line) => ` ${line}`),
  ];
  return { linesAdded: added.length, linesRemoved: removed.length, diffString: lines.join("\n") };
}

function toLines(text: string): string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function range(start: number, count: number): string {
  return count === 1 ? String(start) : `${start},${count}`;
}
