import { chmod, lstat, rm, symlink } from "node:fs/promises";
import { CaretError, type ChangedFile, type DiscardHunk, splitHunks } from "@caret/protocol";
import type { Git } from "../../git/run-git.ts";
import { type ConfinedPath, withConfined } from "../../tools/files/confined-path.ts";
import { hasCode } from "../../tools/files/file-error.ts";
import { readWholeText } from "../../tools/files/read-tool.ts";
import { replaceFile } from "../../tools/files/replace-file.ts";
import type { FormerFile } from "./former-file.ts";
import { type Hunk, isOfNoLines, parseHunk, withCarriageReturns, withoutHunk } from "./hunks.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Takes one hunk out of a file: exactly the lines that it shows, exactly where it shows them. Rejects with `invalid-request`, and
 * changes nothing, when the hunk is not among the file's changes any more.
 */
export async function discardHunk(
  git: Git,
  workspace: string,
  files: readonly ChangedFile[],
  { path, hunk: text }: DiscardHunk,
  former: (path: string) => Promise<FormerFile | undefined>,
): Promise<void> {
  const file = files.find((each) => each.path === path);
  const hunk = parseHunk(text);
  if (file?.unified === undefined || hunk === undefined || !splitHunks(file.unified).includes(text))
    throw changed(path);
  await withConfined({ workspace, path, followLast: false, changes: git, createParents: true }, async (target) => {
    // A directory on the way became a link: what is there is another file.
    if (target.path !== path) throw changed(path);
    const before = await readText(target.directory.openFile(target.name), path);
    if (before === undefined && hunk.newText === "") return await restore(target, await former(path));
    const after = withoutChange(before, hunk, path);
    // A file that the change created is gone without it.
    if (after === "" && file.status !== "modified") await rm(target.directory.at(target.name));
    else await replaceFile(target, after);
  });
}

/** Rejects where the hunk's lines are not there, and where nothing would change. */
function withoutChange(before: string | undefined, hunk: Hunk, path: string): string {
  if (before === undefined || (isOfNoLines(hunk) && before !== "")) throw changed(path);
  const after = withoutHunk(before, hunk) ?? withoutHunk(before, withCarriageReturns(hunk));
  if (after === undefined) throw changed(path);
  if (after === before) throw onlyLineEnds(path);
  return after;
}

/** Makes a file that was deleted as it was: a link, a program or neither. */
async function restore(target: ConfinedPath, former: FormerFile | undefined): Promise<void> {
  if (former === undefined) throw changed(target.path);
  const { mode, bytes } = former;
  const address = target.directory.at(target.name);
  if (mode === "120000") return await symlink(bytes, address);
  await replaceFile(target, bytes);
  if (mode !== "100755") return;
  const { mode: made } = await lstat(address);
  // Those who may read it may run it, as Git has it.
  await chmod(address, made | ((made & 0o444) >> 2));
}

/** Undefined when there is no such file. */
async function readText(opening: ReturnType<OpenFile>, path: string): Promise<string | undefined> {
  try {
    const file = await opening;
    try {
      return await readWholeText(file, path, MAX_BYTES);
    } finally {
      await file.close();
    }
  } catch (reason) {
    if (hasCode(reason, "ENOENT")) return undefined;
    throw reason;
  }
}

type OpenFile = Parameters<Parameters<typeof withConfined>[1]>[0]["directory"]["openFile"];

function onlyLineEnds(path: string): CaretError {
  return new CaretError(
    "invalid-request",
    `${path} has these lines already: only their ends differ from the last commit's`,
    {
      fix: "Commit the file, or change what `.gitattributes` says of its line ends.",
    },
  );
}

function changed(path: string): CaretError {
  return new CaretError("invalid-request", `${path} has changed since: this part is not there any more`, {
    fix: "Refresh the changes and look again.",
  });
}
