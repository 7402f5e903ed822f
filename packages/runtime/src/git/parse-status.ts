import type { ChangedFile } from "@caret/protocol";

export type StatusEntry = Pick<ChangedFile, "path" | "status" | "oldPath">;

export interface RepositoryStatus {
  readonly branch: string | undefined;
  readonly entries: readonly StatusEntry[];
}

const HEAD = "# branch.head ";
const DETACHED = "(detached)";
/** Fields before the path in a line of each kind. */
const FIELDS = { "1": 8, "2": 9, u: 10 } as const;

/** Reads `git status --porcelain=v2 --branch -z`. A path that was cut off at the end is left out. */
export function parseStatus(text: string): RepositoryStatus {
  const parts = text.split("\0").slice(0, -1).reverse();
  const entries: StatusEntry[] = [];
  let branch: string | undefined;
  while (parts.length > 0) {
    const line = parts.pop() ?? "";
    if (line.startsWith(HEAD)) branch = line.slice(HEAD.length);
    // Only of a renamed file does a second path follow.
    else entries.push(...toEntries(line, line.startsWith("2 ") ? parts.pop() : undefined));
  }
  return { branch: branch === DETACHED ? undefined : branch, entries };
}

function toEntries(line: string, oldPath: string | undefined): readonly StatusEntry[] {
  switch (line.slice(0, 2)) {
    case "? ":
      return [{ path: line.slice(2), status: "untracked" }];
    case "u ":
      return [{ path: pathIn(line, FIELDS.u), status: "modified" }];
    case "2 ":
      return [{ path: pathIn(line, FIELDS["2"]), status: "renamed", oldPath: oldPath ?? "" }];
    case "1 ":
      return changedEntry(line);
    default:
      return [];
  }
}

function changedEntry(line: string): readonly StatusEntry[] {
  const path = pathIn(line, FIELDS["1"]);
  const [staged, inFiles] = [line[2], line[3]];
  if (staged === "A") return inFiles === "D" ? [] : [{ path, status: "added" }];
  return [{ path, status: inFiles === "D" || (staged === "D" && inFiles === ".") ? "deleted" : "modified" }];
}

function pathIn(line: string, fields: number): string {
  return line.split(" ").slice(fields).join(" ");
}
