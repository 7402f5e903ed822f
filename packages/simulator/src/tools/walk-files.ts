import { readdirSync } from "node:fs";
import { join } from "node:path";

/** What the agent's searching tools skip, as their search program does by default. */
export const ignoredNames: ReadonlySet<string> = new Set([".git", "node_modules", ".DS_Store"]);

/** A search must end even when someone points it at a whole disk. */
const MAX_FILES = 20_000;

/** Every file below a directory, as relative paths in a stable order. */
export function walkFiles(root: string): readonly string[] {
  const found: string[] = [];
  const waiting = [""];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    if (found.length >= MAX_FILES) break;
    const { files, directories } = listDirectory(root, directory);
    found.push(...files);
    waiting.push(...directories);
  }
  return found.toSorted();
}

function listDirectory(root: string, directory: string) {
  const entries = readdirSync(join(root, directory), { withFileTypes: true }).filter(
    ({ name }) => !ignoredNames.has(name),
  );
  const toPath = ({ name }: { readonly name: string }) => (directory === "" ? name : `${directory}/${name}`);
  return {
    files: entries.filter((entry) => entry.isFile()).map(toPath),
    directories: entries.filter((entry) => entry.isDirectory()).map(toPath),
  };
}
