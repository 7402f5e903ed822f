import { readFileSync, statSync } from "node:fs";
import { afterEdit, applyChange, failEdit, refuseEdit } from "./apply-change.ts";
import { readHookPayload } from "./read-tool.ts";
import { absolutePath, cleanPath, type ToolArgs, text } from "./tool-args.ts";
import type { ToolContext } from "./tool-context.ts";
import type { ToolDraft } from "./tool-draft.ts";
import type { ToolOutcome } from "./tool-run.ts";

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
  const places = edit.oldText === "" ? 0 : before.split(edit.oldText).length - 1;
  if (places === 0) return refused(path, "The string to replace was not found in the file.");
  if (places > 1 && !replaceAll)
    return refused(path, `The string to replace was found ${places} times; give more of its surroundings.`);
  const after = before.split(edit.oldText).join(edit.newText);
  return applyChange({ path, before, after }, `The file ${path} has been updated.`, true);
}

function refused(path: string, error: string): ToolOutcome {
  return { result: failEdit(path, error), ok: false, output: error };
}
