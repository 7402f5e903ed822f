import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { type BytePath, onDisk } from "./byte-path.ts";

/** What is at a place of a checkout; a link is a file. Undefined: nothing, also where a file is in the way to it. */
export async function kindOf(top: string, path: BytePath): Promise<"file" | "directory" | undefined> {
  try {
    return (await lstat(onDisk(top, path))).isDirectory() ? "directory" : "file";
  } catch (reason) {
    const { code } = reason as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw reason;
  }
}

/** Every file and link below a directory, whatever Git thinks of them. */
export async function filesBelow(top: string, directory: BytePath): Promise<readonly BytePath[]> {
  const entries = (await readdir(onDisk(top, directory), {
    withFileTypes: true,
    encoding: "buffer",
  })) as unknown as readonly Dirent<Buffer>[];
  const files: BytePath[] = [];
  for (const entry of entries) {
    const path = `${directory}/${entry.name.toString("latin1")}`;
    if (entry.isDirectory()) files.push(...(await filesBelow(top, path)));
    else files.push(path);
  }
  return files;
}
