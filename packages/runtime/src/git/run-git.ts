import { CaretError } from "@caret/protocol";
import type { Spawner } from "../process/child-handle.ts";
import { toolEnvironment } from "../process/tool-environment.ts";

const LIMIT_MS = 10_000;
const MAX_BYTES = 8 * 1024 * 1024;
/** In which git removes its locks and half-written files, as after Ctrl-C: what it leaves would keep a person's own commands from running. */
const GRACE_MS = 5_000;

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
  /** The end of its standard error. */
  readonly errors: string;
}

export interface GitOptions {
  /** Settings that hold whatever the repository says; undefined: the repository's own, for a command that does not act on it. */
  readonly settings?: Readonly<Record<string, string | undefined>>;
  /** Variables for this command alone. */
  readonly env?: Readonly<Record<string, string>>;
  readonly limitMs?: number;
  /** More than this it is not let print. */
  readonly maxBytes?: number;
  /** What it reads on standard input; absent: nothing. */
  readonly input?: string | Uint8Array;
  /** `latin1` keeps every byte of a name that is no UTF-8: see `BytePath`. */
  readonly decoding?: "utf8" | "latin1";
}

/** Run git in a directory. Rejects with `unsupported` when there is no git, and with `timed-out`. */
export async function runGit(
  { spawner, env }: Git,
  cwd: string,
  args: readonly string[],
  { settings = {}, env: own = {}, limitMs = LIMIT_MS, maxBytes = MAX_BYTES, input, decoding = "utf8" }: GitOptions = {},
): Promise<GitOutput> {
  const child = spawner.spawn({
    file: "git",
    args: ["--no-optional-locks", ...args],
    cwd,
    env: toolEnvironment({ parent: env, set: { ...fixed, ...own, ...settingsEnv({ ...SAFE_SETTINGS, ...settings }) } }),
    stdin: input === undefined ? "closed" : { content: input },
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void child.stop({ graceMs: GRACE_MS, reason: "git took too long" });
  }, limitMs);
  try {
    const { bytes, isCut } = await readUpTo(child.stdout, maxBytes);
    if (isCut) await child.stop({ graceMs: 0, reason: "git printed more than is read" });
    const exit = await child.exit;
    if (isLate) throw new CaretError("timed-out", `git ${args[0]} did not finish within ${limitMs} ms`);
    if (exit.kind === "failed-to-start")
      throw new CaretError("unsupported", "git cannot be run here", { cause: exit.error, fix: "Install git." });
    const code = exit.kind === "exited" ? exit.code : null;
    return { code, text: bytes.toString(decoding), isCut, errors: child.stderrTail() };
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

function settingsEnv(settings: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = Object.entries(settings).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
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
