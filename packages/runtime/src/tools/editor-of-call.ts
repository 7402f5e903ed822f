import type { ToolEditor } from "./tool-editor.ts";

/**
 * The editor as one call sees it. A file that it cannot read it is asked for once: a call looks at its file when it is shown, when it
 * was approved and when it runs, and editors show each such question as an error. From then on the disk counts.
 */
export function editorOfCall(editor: ToolEditor): ToolEditor {
  const unreadable = new Set<string>();
  return {
    ...editor,
    async readText(path, signal) {
      if (unreadable.has(path)) return undefined;
      const text = await editor.readText(path, signal);
      if (text === undefined) unreadable.add(path);
      return text;
    },
  };
}
