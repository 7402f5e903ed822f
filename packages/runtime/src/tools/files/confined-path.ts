import { realpath } from "node:fs/promises";
import { join, resolve, sep } from "node:path";
import { CaretError } from "@caret/protocol";
import type { Git } from "../../git/run-git.ts";
import { wayInside } from "../../paths/physical-path.ts";
import { decidesWhatRuns } from "../../policy/decides-what-runs.ts";
import { judgeWithGit } from "../../policy/git-settings.ts";
import type { ToolContext } from "../tool.ts";
import { toFileError } from "./file-error.ts";
import { PinnedDirectory } from "./pinned-directory.ts";

/** The kernel's own limit. */
const MAX_LINKS = 40;

/** A path inside the workspace. It need not exist; its directory does, and stays open during use. */
export interface ConfinedPath {
  readonly directory: PinnedDirectory;
  /** The entry's name in the directory; `.` for the workspace itself. */
  readonly name: string;
  /** Path from the workspace, free of links, with slashes; empty for the workspace itself. */
  readonly path: string;
}

export interface ConfinedOptions extends Pick<ToolContext, "workspace" | "judgedPaths"> {
  /** Relative to the workspace, or absolute and inside it. */
  readonly path: string;
  /** Set if something is created, changed or removed: git is asked whether that affects what runs later. */
  readonly changes?: Git;
  /** If the last component is a link: follow it (inside the workspace), or use the link itself. */
  readonly followLast?: boolean;
  /** Create missing parent directories. */
  readonly createParents?: boolean;
}

/**
 * Resolves a path inside the workspace and keeps its directory open while `use` works there.
 *
 * The path is walked one component at a time; each directory is opened from its parent without following links, and links are resolved
 * here: a target outside the workspace is refused. So a directory swapped between check and use cannot lead out. Only the file system
 * compares names, never we: on a case-folding system two spellings are one file and equally confined. A hard link is a file of the
 * workspace like any other, which only a sandbox can prevent; writing replaces the entry and leaves the other name's content alone.
 *
 * Files that decide what runs (git's hooks and settings, an editor's tasks) are never changed through a link, even if approved. If a call
 * was judged by its resolved paths, only those paths are used.
 */
export async function withConfined<Value>(
  options: ConfinedOptions,
  use: (target: ConfinedPath) => Promise<Value>,
): Promise<Value> {
  const walk = await Walk.start(options);
  try {
    return await use(await walk.finish());
  } catch (reason) {
    throw toFileError(reason, options.path);
  } finally {
    await walk.close();
  }
}

class Walk {
  readonly #root: string;
  readonly #options: ConfinedOptions;
  #directory: PinnedDirectory;
  #walked: string[] = [];
  #ahead: string[];
  #links = 0;

  private constructor(root: string, directory: PinnedDirectory, options: ConfinedOptions) {
    this.#root = root;
    this.#directory = directory;
    this.#options = options;
    this.#ahead = this.#inside(options.path);
  }

  static async start(options: ConfinedOptions): Promise<Walk> {
    const { workspace, path } = options;
    if (path.includes("\0")) throw new CaretError("invalid-request", "A path cannot contain a NUL character");
    const root = await realpath(workspace).catch((reason: unknown) => {
      throw new CaretError("workspace-missing", "The workspace does not exist", { cause: reason });
    });
    const directory = await PinnedDirectory.open(root);
    try {
      return new Walk(root, directory, options);
    } catch (reason) {
      await directory.close();
      throw reason;
    }
  }

  async finish(): Promise<ConfinedPath> {
    const { followLast = true } = this.#options;
    for (let name = this.#ahead.shift(); name !== undefined; name = this.#ahead.shift()) {
      const isLast = this.#ahead.length === 0;
      const target = isLast && !followLast ? undefined : await this.#directory.linkTarget(name);
      if (target !== undefined) await this.#follow(target);
      else if (isLast) return this.#arrive(name);
      else await this.#enter(name);
    }
    return this.#arrive(".");
  }

  close(): Promise<void> {
    return this.#directory.close();
  }

  async #arrive(name: string): Promise<ConfinedPath> {
    const path = name === "." ? "" : [...this.#walked, name].join("/");
    const { judgedPaths } = this.#options;
    if (judgedPaths !== undefined && !judgedPaths.includes(path)) throw this.#moved(path);
    await this.#assertNoDetour(path);
    return { directory: this.#directory, name, path };
  }

  /** Such a file can be changed by its own name, if approved: the approval then shows what it is. */
  async #assertNoDetour(path: string): Promise<void> {
    const { changes: git } = this.#options;
    if (git === undefined || this.#links === 0) return;
    const real = join(this.#root, path);
    if (!(await judgeWithGit(git, (answers) => decidesWhatRuns(real, this.#root, answers)))) return;
    throw new CaretError(
      "forbidden",
      `${this.#options.path} leads by a link to ${path}, which controls what is run, and cannot be changed through a link`,
    );
  }

  #moved(path: string): CaretError {
    const words = `${this.#options.path} leads to ${path || "the workspace"}, which is not where it led when it was judged`;
    return new CaretError("forbidden", words);
  }

  async #assertOnTheWay(path: string): Promise<void> {
    const { judgedPaths } = this.#options;
    if (judgedPaths !== undefined && !judgedPaths.some((judged) => judged.startsWith(`${path}/`)))
      throw this.#moved(path);
    await this.#assertNoDetour(path);
  }

  async #enter(name: string): Promise<void> {
    const parent = this.#directory;
    if (this.#options.createParents) await this.#assertOnTheWay([...this.#walked, name].join("/"));
    this.#directory = await (this.#options.createParents ? parent.enterOrCreate(name) : parent.enter(name));
    this.#walked.push(name);
    await parent.close();
  }

  /** The walked part holds no links, so the target can be resolved by its spelling; the walk starts again. */
  async #follow(target: string): Promise<void> {
    this.#links += 1;
    if (this.#links > MAX_LINKS) throw new CaretError("invalid-request", "Too many symbolic links on the way");
    this.#ahead = [...this.#inside(resolve(this.#root, ...this.#walked, target)), ...this.#ahead];
    this.#walked = [];
    const left = this.#directory;
    this.#directory = await PinnedDirectory.open(this.#root);
    await left.close();
  }

  #inside(path: string): string[] {
    // If the workspace was named through a link, so may be the absolute paths in it.
    for (const base of [this.#root, resolve(this.#options.workspace)]) {
      const way = wayInside(base, resolve(base, path));
      if (way !== undefined) return way === "" ? [] : way.split(sep);
    }
    throw new CaretError(
      "workspace-forbidden",
      `${this.#options.path} leads out of the workspace. Only paths inside the workspace can be used`,
    );
  }
}
