import type { ToolEditor } from "./tool-editor.ts";

/**
 * The editor as one call sees it. It is asked once for a file that it does not have: a call looks at its file when it is shown, when it
 * was approved and when it runs, and editors show each such question as an error. From then on the disk counts.
 */
export function editorOfCall(editor: ToolEditor): ToolEditor {
  const absent = new Set<string>();
  return {
    ...editor,
    async readText(path, signal) {
      if (absent.has(path)) return undefined;
      const text = await editor.readText(path, signal);
      if (text === undefined) absent.add(path);
      return text;
    },
  };
}
