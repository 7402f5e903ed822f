import { CaretError, type ChangedFile, type ChangesView } from "@caret/protocol";
import { addedFilePatch } from "./added-file-patch.ts";
import { parseStatus, type StatusEntry } from "./parse-status.ts";
import { type Git, runGit } from "./run-git.ts";

/** At the start of a line as git ends lines: for `^` a carriage return in a file would start one, too. */
const FILE_START = /(?<![^\n])diff --git /g;

const HUNKS_START = /(?<![^\n])--- /;

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

const MAX_FILES = 500;
const MAX_UNIFIED = 256 * 1024;
/** What a diff shows must not depend on the repository's own settings, nor may it run git in a submodule with that one's. */
const DIFF = [
  "diff",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--submodule=short",
  "--src-prefix=a/",
  "--dst-prefix=b/",
  "-M",
];
/** What `git config` ends with when there is no such setting. */
const NOTHING_FOUND = 1;
const NOT_A_REPOSITORY: ChangesView = { isRepository: false, files: [], omitted: 0 };

/**
 * What differs in a workspace from its last commit, the files git does not know yet included. Only what lies in the
 * workspace, also when the repository is larger. Paths are relative to the workspace.
 */
export async function readChanges(git: Git, workspace: string): Promise<ChangesView> {
  const found = await runGit(git, workspace, ["rev-parse", "--is-inside-work-tree", "--show-prefix"]);
  const [isInside, prefix = ""] = found.text.split("\n");
  if (found.code !== 0 || isInside !== "true") return NOT_A_REPOSITORY;
  const safe = await withoutOwnFilters(git, workspace);
  const run = (args: readonly string[]) => runGit(git, workspace, args, safe);
  const scope = ["--ignore-submodules=dirty", "--", "."];
  const status = await run(["status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", ...scope]);
  const { branch, entries } = parseStatus(status.text);
  const patch = await run([...DIFF, "--relative", await baseOf(git, workspace), ...scope]);
  // The last file of a patch that was cut is not whole.
  const patches = splitPatch(patch.text).slice(0, patch.isCut ? -1 : undefined);
  const inWorkspace = entries.flatMap((entry) => relativeTo(prefix, entry));
  const shown = inWorkspace.slice(0, MAX_FILES);
  return {
    isRepository: true,
    ...(branch === undefined ? {} : { branch }),
    files: await withPatches(workspace, shown, new Map(patches.map((each) => [each.path, each]))),
    omitted: inWorkspace.length - shown.length,
  };
}

/**
 * Filters turn files into what is committed, by programs. Those that the repository itself names are not run. Rejects
 * with `unsupported` when not all of their names can be known: one that is overlooked would be run.
 */
async function withoutOwnFilters(git: Git, workspace: string): Promise<Readonly<Record<string, string>>> {
  const pattern = "^filter\\..*\\.(clean|smudge|process|required)$";
  const listed = await runGit(git, workspace, ["config", "--show-scope", "--null", "--get-regexp", pattern]);
  const isKnown = listed.code === 0 || listed.code === NOTHING_FOUND;
  if (!isKnown || listed.isCut || listed.text.includes("\ufffd")) throw unsafeFilters();
  const parts = listed.text.split("\0");
  const own: Record<string, string> = {};
  for (let index = 0; index + 1 < parts.length; index += 2) {
    const [key = ""] = (parts[index + 1] ?? "").split("\n", 1);
    if (parts[index] === "local" || parts[index] === "worktree") own[key] = key.endsWith(".required") ? "false" : "";
  }
  return own;
}

function unsafeFilters(): CaretError {
  return new CaretError(
    "unsupported",
    "The changes cannot be shown: the repository's filters cannot be kept from running",
    {
      fix: "Look at the sections `filter` in its `.git/config`.",
    },
  );
}

/** The last commit; before the first one, nothing. */
async function baseOf(git: Git, workspace: string): Promise<string> {
  const head = await runGit(git, workspace, ["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (head.code === 0) return "HEAD";
  return (await runGit(git, workspace, ["hash-object", "-t", "tree", "/dev/null"])).text.trim();
}

/** Git prints paths relative to the top of the repository. */
function relativeTo(prefix: string, entry: StatusEntry): readonly StatusEntry[] {
  if (!entry.path.startsWith(prefix)) return [];
  const { oldPath, ...rest } = { ...entry, path: entry.path.slice(prefix.length) };
  if (oldPath === undefined) return [rest];
  // What came from outside the workspace is new in it.
  return [
    oldPath.startsWith(prefix) ? { ...rest, oldPath: oldPath.slice(prefix.length) } : { ...rest, status: "added" },
  ];
}

async function withPatches(
  workspace: string,
  entries: readonly StatusEntry[],
  patches: ReadonlyMap<string, FilePatch>,
): Promise<readonly ChangedFile[]> {
  const files: ChangedFile[] = [];
  for (const entry of entries) {
    const patch = entry.status === "untracked" ? await addedFilePatch(workspace, entry.path) : patches.get(entry.path);
    files.push({ ...entry, ...shownPatch(patch) });
  }
  return files;
}

function shownPatch(patch: FilePatch | undefined): Pick<ChangedFile, "additions" | "deletions" | "unified"> {
  if (patch === undefined) return {};
  const { additions, deletions, unified } = patch;
  return unified.length > MAX_UNIFIED ? { additions, deletions } : { additions, deletions, unified };
}

export interface FilePatch {
  /** As it is now; of a deleted file, as it was. */
  readonly path: string;
  readonly unified: string;
  readonly additions: number;
  readonly deletions: number;
}

/** The files of a patch that git made with the prefixes `a/` and `b/`. Those without lines, binary ones for instance, are left out. */
function splitPatch(patch: string): readonly FilePatch[] {
  const starts = [...patch.matchAll(FILE_START)].map(({ index }) => index);
  return starts.flatMap((start, index) => toFilePatch(patch.slice(start, starts[index + 1])));
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
