import { realpath } from "node:fs/promises";
import { CaretError } from "@caret/protocol";
import type { Spawner } from "../../process/child-handle.ts";
import { PinnedDirectory } from "../../tools/files/pinned-directory.ts";
import { walkFiles } from "../../tools/files/walk-files.ts";
import { toolEnvironment } from "../../tools/tool.ts";

const MAX_WALKED = 20_000;

const WALK_MS = 2_000;

const LIMIT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * A repository may be hostile: its own settings can name programs that git then runs. None of these is run. Given by the
 * environment, where a value may hold any character.
 */
const SAFE_SETTINGS: Readonly<Record<string, string>> = {
  "core.fsmonitor": "false",
  "core.hooksPath": "/dev/null",
  "core.pager": "cat",
  "core.quotePath": "false",
  // Nor does looking change it; the option against locks is not heeded by `diff`.
  "diff.autoRefreshIndex": "false",
  "diff.external": "",
  "submodule.recurse": "false",
};

export interface Git {
  readonly spawner: Spawner;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface GitOutput {
  /** Null: it was stopped. */
  readonly code: number | null;
  readonly text: string;
  /** There was more than is taken. */
  readonly isCut: boolean;
}

/** Run git in a directory. Rejects with `unsupported` when there is no git, and with `timed-out`. */
export async function runGit(
  { spawner, env }: Git,
  cwd: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<GitOutput> {
  const child = spawner.spawn({
    file: "git",
    args: ["--no-optional-locks", ...args],
    cwd,
    env: toolEnvironment({ parent: env, set: { ...fixed, ...settingsEnv({ ...SAFE_SETTINGS, ...settings }) } }),
    stdin: "closed",
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void child.stop({ graceMs: 0, reason: "git took too long" });
  }, LIMIT_MS);
  try {
    const { bytes, isCut } = await readUpTo(child.stdout, MAX_BYTES);
    if (isCut) await child.stop({ graceMs: 0, reason: "git printed more than is read" });
    const exit = await child.exit;
    if (isLate) throw new CaretError("timed-out", `git ${args[0]} did not finish within ${LIMIT_MS} ms`);
    if (exit.kind === "failed-to-start")
      throw new CaretError("unsupported", "git cannot be run here", { cause: exit.error, fix: "Install git." });
    return { code: exit.kind === "exited" ? exit.code : null, text: bytes.toString("utf8"), isCut };
  } finally {
    clearTimeout(timer);
  }
}

const fixed = {
  LC_ALL: "C",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  // A repository with parts missing must not make git fetch them.
  GIT_NO_LAZY_FETCH: "1",
  // Older versions do not know that word; without any way to a remote they cannot fetch either.
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PAGER: "cat",
};

function settingsEnv(settings: Readonly<Record<string, string>>): Record<string, string> {
  const entries = Object.entries(settings);
  return {
    GIT_CONFIG_COUNT: String(entries.length),
    ...Object.fromEntries(
      entries.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

async function readUpTo(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const kept: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    kept.push(chunk);
    size += chunk.byteLength;
    if (size > maxBytes) return { bytes: Buffer.concat(kept).subarray(0, maxBytes), isCut: true };
  }
  return { bytes: Buffer.concat(kept), isCut: false };
}

/** The files of a workspace: those git knows or would add, else all there are, as far as they can be walked quickly. */
export async function listFiles(git: Git, workspace: string): Promise<readonly string[]> {
  return (await listedByGit(git, workspace)) ?? (await walked(workspace));
}

/** Undefined when there is no repository, or no git. */
async function listedByGit(git: Git, workspace: string): Promise<readonly string[] | undefined> {
  try {
    const listed = await runGit(git, workspace, ["ls-files", "-co", "--exclude-standard", "-z", "--", "."]);
    // What was cut off at the end has no end.
    if (listed.code === 0 || listed.isCut) return [...new Set(listed.text.split("\0").slice(0, -1))];
    return undefined;
  } catch (reason) {
    if (CaretError.is(reason)) return undefined;
    throw reason;
  }
}

async function walked(workspace: string): Promise<readonly string[]> {
  const paths: string[] = [];
  const until = performance.now() + WALK_MS;
  const root = await PinnedDirectory.open(await realpath(workspace));
  try {
    for await (const { path } of walkFiles(root, new AbortController().signal)) {
      paths.push(path);
      if (paths.length >= MAX_WALKED || performance.now() > until) break;
    }
  } finally {
    await root.close();
  }
  return paths;
}
