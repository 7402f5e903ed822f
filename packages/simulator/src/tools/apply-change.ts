import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { blockedText } from "../policy/run-hooks.ts";
import { diffString, type FileChange } from "./diff-string.ts";
import { type OwnHook, type Refusal, refusalText, type WireResult } from "./tool-draft.ts";
import type { ToolOutcome } from "./tool-run.ts";

/** Writes the file and describes the change as the agent's edit tool does. */
export function applyChange(change: FileChange, message: string, showsBefore: boolean): ToolOutcome {
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

export function refuseEdit(path: string, refusal: Refusal): WireResult {
  if (refusal.kind === "denied" && !refusal.isReadonly)
    return { writePermissionDenied: { path, error: refusalText(refusal), isReadonly: false } };
  const reason = refusal.kind === "hook" ? blockedText("File edit", refusal.message) : refusalText(refusal);
  return { rejected: { path, reason } };
}

export function failEdit(path: string, error: string): WireResult {
  return { error: { path, error, modelVisibleError: error } };
}

/** `afterFileEdit` fires only for an edit that happened. */
export function afterEdit(path: string, edit: { readonly oldText: string; readonly newText: string }) {
  return ({ ok }: ToolOutcome): readonly OwnHook[] => {
    const edits = [{ old_string: edit.oldText, new_string: edit.newText }];
    return ok ? [{ step: "afterFileEdit", payload: () => ({ file_path: path, edits }) }] : [];
  };
}
