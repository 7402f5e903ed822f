import type { ChangedFile, ChangesView } from "@caret/protocol";
import { withoutOwnPrograms } from "../../git/own-programs.ts";
import { parseStatus, type StatusEntry } from "../../git/parse-status.ts";
import { DIFF, type FilePatch, patchesByPath, shownPatch, splitPatch } from "../../git/patches.ts";
import { type Git, runGit } from "../../git/run-git.ts";
import { addedFilePatch } from "./added-file-patch.ts";

const MAX_FILES = 500;
const NOT_A_REPOSITORY: ChangesView = { isRepository: false, files: [], omitted: 0 };

/**
 * What differs in a workspace from its last commit, the files git does not know yet included. Only what lies in the
 * workspace, also when the repository is larger. Paths are relative to the workspace.
 */
export async function readChanges(git: Git, workspace: string): Promise<ChangesView> {
  const found = await runGit(git, workspace, ["rev-parse", "--is-inside-work-tree", "--show-prefix"]);
  const [isInside, prefix = ""] = found.text.split("\n");
  if (found.code !== 0 || isInside !== "true") return NOT_A_REPOSITORY;
  const settings = await withoutOwnPrograms(git, workspace);
  const run = (args: readonly string[]) => runGit(git, workspace, args, { settings });
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
    files: await withPatches(workspace, shown, patchesByPath(patches)),
    omitted: inWorkspace.length - shown.length,
  };
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
