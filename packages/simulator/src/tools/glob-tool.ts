import { globPattern } from "../policy/glob-pattern.ts";
import { absolutePath, cleanPath, pick, type ToolArgs, text } from "./tool-args.ts";
import type { ToolContext } from "./tool-context.ts";
import { refusalText, type ToolDraft } from "./tool-draft.ts";
import { walkFiles } from "./walk-files.ts";

export function globTool(input: ToolArgs, context: ToolContext): ToolDraft {
  const globText = text(input, "globPattern");
  const target = text(input, "targetDirectory");
  const path = target === "" ? context.workspace : absolutePath(target, context.workspace);
  const fail = (error: string) => ({ error: { error } });
  return {
    key: "globToolCall",
    args: { ...pick(input, ["targetDirectory"]), globPattern: globText },
    hook: { toolName: "Glob", input: { glob_pattern: globText, target_directory: path } },
    actions: [{ kind: "Read", path: cleanPath(path) }],
    refuse: (refusal) => fail(refusalText(refusal)),
    fail,
    work: () => {
      const pattern = globPattern(globText.startsWith("**/") ? globText : `**/${globText}`);
      const files = walkFiles(path).filter((file) => pattern.test(file));
      const counts = { totalFiles: files.length, clientTruncated: false, ripgrepTruncated: false };
      const success = { pattern: "", path, files, ...counts };
      return { result: { success }, ok: true, output: files.join("\n") || "No files found" };
    },
  };
}
