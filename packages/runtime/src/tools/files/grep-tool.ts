import { CaretError } from "@caret/protocol";
import { startWorkerThread, type WorkerThread } from "../../async/worker-thread.ts";
import { defineTool, type Tool } from "../tool.ts";
import { type ConfinedPath, withConfined } from "./confined-path.ts";
import { hasCode } from "./file-error.ts";
import { compileGlob, type GlobMatcher } from "./glob-pattern.ts";
import { isBinary } from "./read-tool.ts";
import { type FoundFile, walkFiles } from "./walk-files.ts";

const TIME_LIMIT_MS = 20_000;
const DEFAULT_MATCHES = 200;
const MAX_MATCHES = 2_000;
const MAX_FILE_BYTES = 8 * 1024 * 1024;
/** So many bytes are sent to the thread at a time. */
const BATCH_BYTES = 4 * 1024 * 1024;

const entry = new URL(`./grep-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignore_case?: boolean;
  readonly limit?: number;
}

type Found = GrepQuestion["files"][number];

export const grepTool: Tool = defineTool<GrepInput>({
  name: "grep",
  description:
    "Search the text files of the workspace for a JavaScript regular expression, line by line. Prints path:line:text. " +
    ".git, node_modules and binary files are left out.",
  kind: "search",
  timeLimitMs: TIME_LIMIT_MS,
  inputSchema: {
    type: "object",
    properties: {
      pattern: { type: "string", minLength: 1, maxLength: 2_000 },
      path: { type: "string", minLength: 1, description: "A directory or a file; the workspace by default." },
      glob: { type: "string", minLength: 1, description: "Only files with such a name, *.ts for instance." },
      ignore_case: { type: "boolean" },
      limit: { type: "integer", minimum: 1, maximum: MAX_MATCHES, description: "How many matches at most." },
    },
    required: ["pattern"],
    additionalProperties: false,
  },
  async run(
    { pattern, path = ".", glob, ignore_case = false, limit = DEFAULT_MATCHES },
    { workspace, judgedPaths, leavesOut, signal },
  ) {
    const flags = ignore_case ? "iu" : "u";
    assertExpression(pattern, flags);
    const matches = glob === undefined ? undefined : compileGlob(glob);
    let leftOut = 0;
    const isSearched = (file: string): boolean => {
      const isLeftOut = leavesOut?.(file) ?? false;
      if (isLeftOut) leftOut += 1;
      return !isLeftOut;
    };
    const thread = startWorkerThread<GrepQuestion, GrepAnswer>(entry, signal);
    try {
      const found = await withConfined({ workspace, judgedPaths, path }, (target) =>
        search(filesAt(target, { matches, isSearched, signal }), thread, { pattern, flags, maxMatches: limit }),
      );
      const more = found.isCut ? [`[There are more matches than ${limit}: narrow the search, or raise limit.]`] : [];
      const lines = found.matches.length === 0 ? ["[No match.]"] : [...found.matches, ...more];
      const rest = leftOut === 0 ? [] : [`[A rule forbids to open ${leftOut} of the files: they were not searched.]`];
      return { output: [...lines, ...rest].join("\n") };
    } finally {
      await thread.close();
    }
  },
});

function assertExpression(pattern: string, flags: string): void {
  try {
    new RegExp(pattern, flags);
  } catch (cause) {
    throw new CaretError("invalid-request", `The pattern is not a regular expression: ${(cause as Error).message}`);
  }
}

async function search(
  files: AsyncIterable<Found>,
  thread: WorkerThread<GrepQuestion, GrepAnswer>,
  wanted: Omit<GrepQuestion, "files">,
): Promise<GrepAnswer> {
  let matches: readonly string[] = [];
  for await (const batch of inBatches(files)) {
    const answer = await thread.ask({ ...wanted, files: batch, maxMatches: wanted.maxMatches - matches.length });
    matches = [...matches, ...answer.matches];
    if (answer.isCut) return { matches, isCut: true };
  }
  return { matches, isCut: false };
}

async function* inBatches(files: AsyncIterable<Found>): AsyncGenerator<readonly Found[], void, undefined> {
  let batch: Found[] = [];
  let length = 0;
  for await (const file of files) {
    batch.push(file);
    length += file.text.length;
    if (length < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    length = 0;
  }
  if (batch.length > 0) yield batch;
}

interface Choice {
  readonly matches: GlobMatcher | undefined;
  readonly isSearched: (path: string) => boolean;
  readonly signal: AbortSignal;
}

async function* filesAt(
  target: ConfinedPath,
  { matches, isSearched, signal }: Choice,
): AsyncGenerator<Found, void, undefined> {
  const directory = await target.directory.enter(target.name).catch((reason: unknown) => {
    if (hasCode(reason, "ENOTDIR")) return undefined;
    throw reason;
  });
  if (directory === undefined) {
    const text = await readText(target);
    if (text !== undefined) yield { path: target.path, text };
    return;
  }
  const prefix = target.path === "" ? "" : `${target.path}/`;
  try {
    for await (const file of walkFiles(directory, signal)) {
      const path = `${prefix}${file.path}`;
      const isWanted = (matches === undefined || matches(file.path)) && isSearched(path);
      const text = isWanted ? await readText(file) : undefined;
      if (text !== undefined) yield { path, text };
    }
  } finally {
    await directory.close();
  }
}

/** Undefined for what cannot be searched: binary, huge, vanished or closed to us. */
async function readText({ directory, name }: FoundFile): Promise<string | undefined> {
  const file = await directory.openFile(name).catch((reason: unknown) => {
    if (CaretError.is(reason) || hasCode(reason, "ENOENT", "ELOOP", "EACCES", "EPERM", "ENXIO")) return undefined;
    throw reason;
  });
  if (file === undefined) return undefined;
  try {
    if ((await file.stat()).size > MAX_FILE_BYTES) return undefined;
    const bytes = await file.readFile();
    return isBinary(bytes) ? undefined : bytes.toString("utf8");
  } finally {
    await file.close();
  }
}

/** What the searching thread is asked: some files, whole, and how many matches are still wanted. */
export interface GrepQuestion {
  readonly pattern: string;
  readonly flags: string;
  readonly files: readonly { readonly path: string; readonly text: string }[];
  readonly maxMatches: number;
}

export interface GrepAnswer {
  /** `path:line:text`, as ripgrep prints them. */
  readonly matches: readonly string[];
  /** There were more than were wanted. */
  readonly isCut: boolean;
}
