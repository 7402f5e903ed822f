import { lstatSync, readdirSync, readlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Git, runGit } from "../../git/run-git.ts";
import type { NamedFile } from "./named-files.ts";

/** Where the links lead by which a repository has its hooks from elsewhere: `.git/hooks`, or a hook in it, is often one to a file of the project. */
export async function linkedHooks(git: Git, top: string): Promise<readonly NamedFile[]> {
  const words = ["rev-parse", "--path-format=absolute", "--git-common-dir"];
  const env = { GIT_CEILING_DIRECTORIES: dirname(top) };
  const asked = await runGit(git, top, words, { env }).catch(() => undefined);
  const common = asked?.text.replace(/\n$/, "");
  if (asked?.code !== 0 || !common?.startsWith("/")) return [];
  const hooks = join(common, "hooks");
  const directory = linkAt(hooks);
  if (directory !== undefined) return [{ path: directory, missing: { kind: "directory" } }];
  return listed(hooks).flatMap((name) => {
    const path = linkAt(join(hooks, name));
    return path === undefined ? [] : [{ path }];
  });
}

function linkAt(path: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return undefined;
  return resolve(dirname(path), readlinkSync(path));
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // there are no hooks
  }
}
