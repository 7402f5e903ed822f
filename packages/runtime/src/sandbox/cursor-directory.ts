import { lstatSync, mkdirSync, rmSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { CaretError } from "@caret/protocol";
import { wayInside } from "../paths/physical-path.ts";
import { writePrivateFile } from "../paths/private-files.ts";
import { copyTreeByTrueName, listByTrueName } from "./true-name.ts";

/** A project's settings are text: more than this is something else, and is left out. */
const MAX_BYTES = 4 * 1024 * 1024;
const MAX_FILES = 2_000;

/** What starts programs by itself when the agent does, or widens what it may do without asking. */
const RUNS_PROGRAMS: ReadonlySet<string> = new Set(["mcp.json", "hooks.json", "hooks", "cli.json", "environment.json"]);

export interface CursorDirectoryOptions {
  /** Ours; what an agent sees as the `.cursor` of its workspace. */
  readonly directory: string;
  readonly workspace: string;
  /** Leave out what of the project's own settings starts programs. */
  readonly withoutPrograms: boolean;
  /** Ours; they replace the project's files of the same name. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Write the `.cursor` directory that an agent sees: a copy of the project's, with files of ours. A copy, so that it can be
 * changed without touching the workspace, and so that nothing in the workspace can change it. Links are not followed.
 */
export function writeCursorDirectory({ directory, workspace, withoutPrograms, files }: CursorDirectoryOptions): void {
  const own = join(workspace, ".cursor");
  const stat = lstatSync(own, { throwIfNoEntry: false });
  assertDirectory(own, stat);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const left = { bytes: MAX_BYTES, files: MAX_FILES };
  for (const name of listByTrueName(own) ?? []) {
    if (withoutPrograms && RUNS_PROGRAMS.has(name)) continue;
    copyTreeByTrueName(join(own, name), join(directory, name), left);
  }
  for (const [name, text] of Object.entries(files)) writeCursorFile(directory, name, text);
}

/** An agent that runs sees the old one or the new one. */
function writeCursorFile(directory: string, name: string, text: string): void {
  const path = join(directory, name);
  if (!wayInside(directory, path)) throw new CaretError("invalid-request", `${name} is not a file of .cursor`);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writePrivateFile(path, text);
}

/** Bubblewrap does not mount over a link, and one could lead anywhere. */
function assertDirectory(path: string, stat: Stats | undefined): void {
  if (stat === undefined || stat.isDirectory()) return;
  throw new CaretError("workspace-forbidden", `${path} is not a directory`, {
    fix: "Replace it by a directory, or choose a turn without a sandbox.",
  });
}
