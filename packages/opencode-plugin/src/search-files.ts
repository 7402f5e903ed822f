import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Enough to go on with; a model that needs more can ask more precisely. */
const MAX_RESULTS = 500;
const MAX_BYTES = 1024 * 1024;
const left: ReadonlySet<string> = new Set(["node_modules", ".git"]);

export async function findFiles(directory: string, pattern: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const file of glob(pattern, { cwd: directory, exclude: (name) => left.has(String(name)) })) {
    found.push(file);
    if (found.length === MAX_RESULTS) break;
  }
  return found.toSorted();
}

/** `file:line: text` of each line that matches. Binary and very large files are passed over. */
export async function grepFiles(directory: string, include: string, pattern: RegExp): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const file of await findFiles(directory, include)) {
    const text = await readFile(join(directory, file), "utf8").catch(() => ""); // a directory, or not ours to read
    if (text.length > MAX_BYTES || text.includes("\0")) continue;
    for (const [index, line] of text.split("\n").entries())
      if (pattern.test(line) && lines.length < MAX_RESULTS) lines.push(`${file}:${index + 1}: ${line}`);
  }
  return lines;
}
