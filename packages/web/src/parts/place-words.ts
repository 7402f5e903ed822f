import type { SessionView } from "@caret/protocol";

/** Where a session works. A directory that Caret has made for it alone says nothing to a person. */
export function placeWords({ workspace, scratch }: Pick<SessionView, "workspace" | "scratch">): string {
  return scratch === true ? "no workspace" : workspace;
}

/** The end of a path, which distinguishes directories: `…/work/caret`. */
export function shortPath(path: string): string {
  const parts = path.split(/[\\/]+/).filter(Boolean);
  return parts.length <= 2 ? path : `…/${parts.slice(-2).join("/")}`;
}
