import type { ToolEditor } from "./tool-editor.ts";

/**
 * The editor as seen by one call. A file it lacks is requested only once: a call reads its file for the preview, on approval and when it
 * runs, and editors show each failed request as an error. From then on the disk is used.
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
