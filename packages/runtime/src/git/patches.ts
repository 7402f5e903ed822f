import type { ChangedFile } from "@caret/protocol";

/** At the start of a line as git ends lines: for `^` a carriage return in a file would start one, too. */
const FILE_START = /(?<![^\n])diff --git /g;

const HUNKS_START = /(?<![^\n])--- /;

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

const MAX_UNIFIED = 256 * 1024;

/** What a diff shows must not depend on the repository's own settings, nor may it run git in a submodule with that one's. */
export const DIFF: readonly string[] = [
  "diff",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--submodule=short",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "-M",
];

export interface FilePatch {
  /** As it is now; of a deleted file, as it was. */
  readonly path: string;
  readonly unified: string;
  readonly additions: number;
  readonly deletions: number;
}

/** The files of a patch that git made with the prefixes `a/` and `b/`. Those without lines, binary ones for instance, are left out. */
export function splitPatch(patch: string): readonly FilePatch[] {
  const starts = [...patch.matchAll(FILE_START)].map(({ index }) => index);
  return starts.flatMap((start, index) => toFilePatch(patch.slice(start, starts[index + 1])));
}

/**
 * By path. A file that became a link, or the other way round, has two patches, one for each: it is shown without lines, since those of
 * one kind cannot be put into the other.
 */
export function patchesByPath(patches: readonly FilePatch[]): ReadonlyMap<string, FilePatch> {
  const found = new Map<string, FilePatch>();
  const twice = new Set<string>();
  for (const patch of patches) {
    if (found.has(patch.path)) twice.add(patch.path);
    found.set(patch.path, patch);
  }
  for (const path of twice) found.delete(path);
  return found;
}

function toFilePatch(text: string): readonly FilePatch[] {
  const from = text.search(HUNKS_START);
  if (from === -1) return [];
  const unified = text.slice(from);
  const [oldLine = "", newLine = "", ...lines] = unified.split("\n");
  const path = pathOf(newLine, "+++ ", "b/") ?? pathOf(oldLine, "--- ", "a/");
  if (path === undefined) return [];
  const count = (sign: string): number => lines.filter((line) => line.startsWith(sign)).length;
  return [{ path, unified, additions: count("+"), deletions: count("-") }];
}

/** Undefined for `/dev/null`. A path with a space is followed by a tab, one with odd characters is quoted. */
function pathOf(line: string, sign: string, prefix: string): string | undefined {
  if (!line.startsWith(sign)) return undefined;
  const written = line.slice(sign.length).replace(/\t$/, "");
  const path = written.startsWith('"') ? unquote(written) : written;
  return path.startsWith(prefix) ? path.slice(prefix.length) : undefined;
}

/** Git quotes as C does: bytes in octal. */
function unquote(text: string): string {
  const bytes: number[] = [];
  for (const [, octal, escaped, plain] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (escaped !== undefined) bytes.push(escapes[escaped] ?? escaped.charCodeAt(0));
    else bytes.push(...Buffer.from(plain ?? ""));
  }
  return Buffer.from(bytes).toString("utf8");
}

/** What lists show of a patch: nothing of one that is too long. */
export function shownPatch(patch: FilePatch | undefined): Pick<ChangedFile, "additions" | "deletions" | "unified"> {
  if (patch === undefined) return {};
  const { additions, deletions, unified } = patch;
  return unified.length > MAX_UNIFIED ? { additions, deletions } : { additions, deletions, unified };
}
