import { readFileSync, statSync } from "node:fs";
import { afterEdit, applyChange, failEdit, refuseEdit } from "./apply-change.ts";
import { absolutePath, cleanPath, type ToolArgs, text } from "./tool-args.ts";
import type { ToolContext } from "./tool-context.ts";
import type { ToolDraft } from "./tool-draft.ts";

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
