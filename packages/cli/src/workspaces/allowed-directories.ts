import { existsSync, mkdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { CaretError } from "@caret/protocol";
import { physicalDirectory, wayInside, withFileLock, writePrivateFile } from "@caret/runtime";
import { z } from "zod";

const fileSchema = z.object({ allow: z.array(z.string()) });

/** File of the directories allowed by a command or on the page, in addition to the setting `workspaces.allow`. */
function allowedDirectoriesFile(dataDir: string): string {
  return join(dataDir, "workspaces.json");
}

export function readAllowedDirectories(dataDir: string): readonly string[] {
  const file = allowedDirectoriesFile(dataDir);
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, "utf8"))).allow;
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new CaretError("invalid-config", `${file} cannot be read`, {
      cause: reason,
      fix: `Repair or remove ${file}; directories are then allowed again one by one.`,
    });
  }
}

/** The same, cached until the file changes: every turn asks for it. */
export function createAllowedDirectories(dataDir: string): () => readonly string[] {
  const file = allowedDirectoriesFile(dataDir);
  let known: { readonly version: string; readonly directories: readonly string[] } | undefined;
  return () => {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    const version = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
    if (known?.version !== version) known = { version, directories: readAllowedDirectories(dataDir) };
    return known.directories;
  };
}

export interface AllowDirectoryOptions {
  readonly dataDir: string;
  readonly home: string;
}

/** Allows turns to work in this directory and below from now on. Returns its physical path. */
export async function allowDirectory(path: string, options: AllowDirectoryOptions): Promise<string> {
  const directory = allowableDirectory(path, options);
  await change(options.dataDir, (allowed) => (allowed.includes(directory) ? allowed : [...allowed, directory]));
  return directory;
}

/** The physical path of a directory that can be allowed: not one that holds more than projects. */
export function allowableDirectory(path: string, { dataDir, home }: AllowDirectoryOptions): string {
  const directory = directoryAt(path);
  for (const [precious, name] of [
    [home, "your home directory"],
    [dataDir, "Caret's own data"],
  ] as const)
    if (holds(directory, precious))
      throw new CaretError("workspace-forbidden", `${directory} holds ${name}`, {
        fix: "Allow the directory of one project, or of all your projects, instead.",
      });
  return directory;
}

/** Rejects with `not-found` for a directory that was not allowed this way. */
export async function forgetDirectory(path: string, dataDir: string): Promise<void> {
  const known = readAllowedDirectories(dataDir);
  // A deleted directory can still be forgotten by name.
  const directory = known.includes(path) ? path : directoryAt(path);
  if (!known.includes(directory))
    throw new CaretError("not-found", `${directory} was not allowed by \`caret workspaces allow\``, {
      fix: "`caret workspaces ls` prints those that were. Others come from the settings: `caret config print`.",
    });
  await change(dataDir, (allowed) => allowed.filter((other) => other !== directory));
}

async function change(dataDir: string, next: (allowed: readonly string[]) => readonly string[]): Promise<void> {
  const file = allowedDirectoriesFile(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  await withFileLock(file, () =>
    writePrivateFile(file, `${JSON.stringify({ allow: next(readAllowedDirectories(dataDir)) }, null, 2)}\n`),
  );
}

function directoryAt(path: string): string {
  if (!isAbsolute(path)) throw new CaretError("invalid-request", `${path} is not an absolute path`);
  return physicalDirectory(path);
}

/** Whether one directory is the other or contains it. False if the other does not exist yet. */
function holds(directory: string, other: string): boolean {
  return existsSync(other) && wayInside(directory, realpathSync(other)) !== undefined;
}
