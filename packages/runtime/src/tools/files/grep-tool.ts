import { startWorkerThread, type WorkerThread } from "../../async/worker-thread.ts";
import type { FoundFile, FoundLine, SearchAsk } from "../../calls/tool-data.ts";
import { defineTool, type Tool } from "../tool.ts";
import { type ConfinedPath, withConfined } from "./confined-path.ts";
import { globOfKind } from "./file-kinds.ts";
import { inOrder } from "./file-order.ts";
import { compileGlob, type GlobMatcher } from "./glob-pattern.ts";
import type { SearchAnswer, SearchQuestion, SearchWish } from "./search-lines.ts";
import { toExpression } from "./search-pattern.ts";
import { type FileText, type SearchedFiles, searchFiles } from "./searched-files.ts";

const TIME_LIMIT_MS = 20_000;
const DEFAULT_MATCHES = 200;
const MAX_MATCHES = 2_000;
/** Bytes sent to the worker thread at a time. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** Limits of what a model is shown. */
const shown = { maxCharacters: 1024 * 1024, maxLength: 500, endsWhenFull: true };
/** Limits of what a program gets: further lines are counted and reported as left out. */
const given = { maxLines: 50_000, maxCharacters: 8 * 1024 * 1024, maxLength: 1024 * 1024, endsWhenFull: false };

const entry = new URL(`./grep-worker${import.meta.url.endsWith(".ts") ? ".ts" : ".js"}`, import.meta.url);

interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly ignore_case?: boolean;
  readonly limit?: number;
}

export const grepTool: Tool = defineTool<GrepInput>({
  name: "grep",
  description:
    "Search the text files of the workspace for a regular expression as ripgrep reads it, line by line. Prints path:line:text. " +
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
  async run(input, context) {
    const { path = ".", limit = DEFAULT_MATCHES } = input;
    const { workspace, judgedPaths, signal, exact } = context;
    const wish = wishOf(input, exact === undefined ? undefined : (exact.search ?? plainSearch));
    const files = searchFiles(context, {
      matches: matcherOf(input.glob, exact?.search?.type),
      isExact: exact !== undefined,
    });
    const thread = startWorkerThread<SearchQuestion, SearchAnswer>(entry, signal);
    try {
      const answer = await withConfined({ workspace, judgedPaths, path }, (target) =>
        search(files, target, thread, wish),
      );
      const output = inWords(answer, limit, files.leftOut());
      if (exact === undefined) return { output };
      const found = inOrder(answer.found, exact.order, ({ path: each }, time) => files.timeOf(each, time));
      return {
        output,
        data: { kind: "matches", found, isCut: answer.isCut || files.leftOut() > 0 || files.hasMissed() },
      };
    } finally {
      await thread.close();
    }
  },
});

const plainSearch: SearchAsk = { before: 0, after: 0, isMultiline: false };

function wishOf({ pattern, ignore_case = false, limit = DEFAULT_MATCHES }: GrepInput, ask?: SearchAsk): SearchWish {
  const { before, after, isMultiline } = ask ?? plainSearch;
  const expression = toExpression(pattern, { ignoresCase: ignore_case, isMultiline });
  if (ask === undefined) return { ...expression, ...shown, ...plainSearch, maxLines: limit };
  return { ...expression, ...given, before, after, isMultiline };
}

/** A leading `!` excludes files. */
function matcherOf(glob: string | undefined, kind: string | undefined): GlobMatcher | undefined {
  const isOfKind = kind === undefined ? undefined : compileGlob(globOfKind(kind));
  if (glob === undefined) return isOfKind;
  const isNegated = glob.startsWith("!");
  const matches = compileGlob(isNegated ? glob.slice(1) : glob);
  return (path) => matches(path) !== isNegated && (isOfKind?.(path) ?? true);
}

async function search(
  files: SearchedFiles,
  target: ConfinedPath,
  thread: WorkerThread<SearchQuestion, SearchAnswer>,
  wish: SearchWish,
): Promise<SearchAnswer> {
  const found: FoundFile[] = [];
  let { maxLines, maxCharacters } = wish;
  let isCut = false;
  for await (const batch of inBatches(files.at(target))) {
    const answer = await thread.ask({ ...wish, files: batch, maxLines, maxCharacters });
    found.push(...answer.found);
    isCut ||= answer.isCut;
    if (isCut && wish.endsWhenFull) break;
    const lines = answer.found.flatMap((file) => file.lines);
    maxLines -= lines.length;
    maxCharacters = Math.max(0, maxCharacters - lines.reduce((sum, { text }) => sum + text.length, 0));
  }
  return { found, isCut };
}

async function* inBatches(files: AsyncIterable<FileText>): AsyncGenerator<readonly FileText[], void, undefined> {
  let batch: FileText[] = [];
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

function inWords({ found, isCut }: SearchAnswer, limit: number, leftOut: number): string {
  const matches = found.flatMap(({ path, lines }) =>
    lines.filter(({ isContext }) => !isContext).map((line) => `${path}:${line.number}:${lineInWords(line)}`),
  );
  const hasMore = isCut || matches.length > limit;
  const more = hasMore ? [`[There are more matches than ${limit}: narrow the search, or raise limit.]`] : [];
  const rest = leftOut === 0 ? [] : [`[A rule forbids to open ${leftOut} of the files: they were not searched.]`];
  return [...(matches.length === 0 ? ["[No match.]"] : [...matches.slice(0, limit), ...more]), ...rest].join("\n");
}

/** The log keeps less of a line than a program gets. */
function lineInWords({ text, leftOut }: FoundLine): string {
  const rest = leftOut + Math.max(0, text.length - shown.maxLength);
  return rest > 0 ? `${text.slice(0, shown.maxLength)} [… ${rest} more characters]` : text;
}
