import type { EditorName } from "@caret/protocol";

export interface EditorLink {
  readonly href: string;
  readonly label: string;
}

const names: Readonly<Record<EditorName, string>> = { vscode: "VS Code", cursor: "Cursor", zed: "Zed" };

interface Place {
  readonly workspace: string;
  readonly line?: number | undefined;
}

/** The address by which an editor that is installed beside the browser opens a file at a line. */
export function editorLink(editor: EditorName, path: string, { workspace, line }: Place): EditorLink {
  const isAbsolute = path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path);
  const whole = (isAbsolute ? path : `${workspace}/${path}`).replaceAll("\\", "/").replace(/^\/+/, "");
  // Each name by itself: a `#` or `?` in it must not end the path.
  const encoded = whole.split("/").map(encodeName).join("/");
  const href = `${editor}://file/${encoded}${line === undefined ? "" : `:${line}`}`;
  return { href, label: `Open in ${names[editor]}` };
}

function encodeName(name: string): string {
  return encodeURIComponent(name).replaceAll("%3A", ":");
}

/** A browser elsewhere has other files under the same paths, or none. */
export function isOnThisMachine(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d+){3}|\[::1\])$|\.localhost$/.test(hostname);
}
