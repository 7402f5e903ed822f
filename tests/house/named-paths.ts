import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The name of a source file: `turns/run-turn.ts`. */
const SOURCE = /^[^.].*\.(?:ts|tsx|js|proto)$/;
/** What documents may leave out of it: `turns/run-turn`, and for tests `native/deleting`. */
const EXTENSION = /(?:\.(?:test|contract|bench))?\.(?:ts|tsx|js|proto)$/;

/**
 * The repository's paths that README.md, AGENTS.md, CONTRIBUTING.md and the pages below `docs` name in backticks although they do not
 * exist. A path counts as ours if it begins with a folder of the repository (`packages/…`), a package or a room (`protocol/api`,
 * `turns/run-turn`), or if it is the name of a source file. Code blocks are not read: their files are examples.
 */
export function findMissingPaths(root: string, foreign: readonly RegExp[]) {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && existsSync(join(root, path)));
  const documents = tracked.filter((path) => /^(?:README|AGENTS|CONTRIBUTING)\.md$|^docs\/.*\.md$/.test(path));
  const known = knownPaths(tracked);
  const starts = new Set(tracked.flatMap(firstFolders));
  const named = documents.flatMap((document) =>
    pathsIn(readFileSync(join(root, document), "utf8"), starts).map((path) => ({ document, path })),
  );
  const missing = named.filter(
    ({ document, path }) =>
      !known.has(path.replace(/\/$/, "")) && !foreign.some((one) => one.test(`${document}: ${path}`)),
  );
  return { named: named.length, missing };
}

/** Every way to name a tracked file or folder: any end of its path, with or without the extension of a source. */
function knownPaths(tracked: readonly string[]): ReadonlySet<string> {
  const known = new Set<string>();
  for (const path of tracked) {
    const folders = path.split("/");
    for (let end = folders.length; end > 0; end--) {
      for (let start = 0; start < end; start++) {
        const part = folders.slice(start, end).join("/");
        // `runtime/src/log` is also called `runtime/log`.
        for (const one of [part, part.replace(/^([\w-]+)\/src\//, "$1/")])
          known.add(one).add(one.replace(EXTENSION, ""));
      }
    }
  }
  return known;
}

/** What a path of ours can begin with: a folder of the repository, a package, a room. */
function firstFolders(path: string): readonly string[] {
  const [top = "", second = "", src, room = ""] = path.split("/");
  if (!path.includes("/")) return [];
  if (top !== "packages") return [top];
  return src === "src" && path.split("/").length > 4 ? [top, second, room] : [top, second];
}

function pathsIn(text: string, starts: ReadonlySet<string>): readonly string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`\s]+)`/g)]
    .map(([, word = ""]) => word)
    .filter((word) => /^[\w.@-]+(?:\/[\w.@-]+)*\/?$/.test(word))
    .filter((word) => SOURCE.test(word) || (word.includes("/") && starts.has(word.split("/")[0] ?? "")));
}
