/** An expression that can take more than linear time, and why no foreign text makes it. */
export interface ArguedExpression {
  readonly file: string;
  /** What its source begins with, or where it is composed. */
  readonly source: string;
  readonly why: string;
}

const chores = "packages/runtime/src/conversations/matching/client-chores.ts";
const sideCalls = "packages/runtime/src/conversations/matching/side-call.ts";
const opening = "READ_CHARACTERS: it sees the first 1,500 characters of a text";
const credentials = "packages/runtime/src/redaction/credential-patterns.ts";

export const arguedExpressions: readonly ArguedExpression[] = [
  { file: chores, source: "(?:\\d+|two|three", why: opening },
  { file: chores, source: "^\\W*you are naming", why: opening },
  { file: chores, source: "\\byou are (?:an? |the )", why: opening },
  { file: chores, source: "(?:^|[.!?:,>\\n]\\s*)\\W{0,3}", why: opening },
  { file: chores, source: "\\b(?:(?:conversation|chat|session", why: opening },
  {
    file: sideCalls,
    source: "\\b(?:generat|creat|writ",
    why: "READ_SYSTEM: it sees the first 600 characters of a system prompt",
  },
  {
    file: sideCalls,
    source: "^\\W*(?:please )?(?:generate",
    why: "READ_QUESTION: it sees the first 2,000 characters of a question",
  },
  {
    file: "packages/runtime/src/turns/client-notes/date-words.ts",
    source: "^[^\\p{L}\\p{N}]*(?:the\\s+)?",
    why: "MAX_LINE: it sees lines of up to 200 characters",
  },
  {
    file: "packages/runtime/src/conversations/matching/read-question.ts",
    source: "\\bworking directory \\(",
    why: "its 500 characters are read again from each `working directory (`, so that they are at most 25 times the text",
  },
  {
    file: "packages/runtime/src/tools/files/glob-pattern.ts",
    source: "\\[[!^]?[^\\]]+\\]|.",
    why: "MAX_LENGTH: it sees patterns of up to 1,000 characters, and each once",
  },
  {
    file: credentials,
    source: "(?<name>",
    why: "behind a quote it goes on for 4,096 characters at most; no character of IN_QUOTES can be read in two ways (measured by redactor.test.ts)",
  },
  {
    file: credentials,
    source: "(?:(?<quote>",
    why: "no character of IN_QUOTES can be read in two ways: a backslash stands for itself only before the closing quote, with which the loop ends",
  },
  {
    file: "packages/web/src/parts/plain-line.ts",
    source: "(\\*\\*|~~)",
    why: "MAX_SHOWN: it sees the first 1,000 characters of a line",
  },
  {
    file: "packages/web/src/parts/plain-line.ts",
    source: "!?\\[([^\\]]*)",
    why: "MAX_SHOWN: it sees the first 1,000 characters of a line",
  },
];

/** `new RegExp` of parts that are only known when it runs: what such an expression looks like, or why it may look like anything. */
export interface ComposedExpression {
  readonly file: string;
  readonly examples?: readonly { readonly source: string; readonly flags: string }[];
  readonly why: string;
}

const like = (source: string, flags = ""): { readonly source: string; readonly flags: string } => ({ source, flags });

export const composedExpressions: readonly ComposedExpression[] = [
  {
    file: "packages/cli/src/install/toml-editor.ts",
    why: "the parts are names of our own recipes",
    examples: [
      like("^[ \\t]*\\[[ \\t]*a[ \\t]*\\.[ \\t]*b[ \\t]*\\][^\\n\\r]*", "m"),
      like("^[ \\t]*\\[(?!\\[?[ \\t]*a[ \\t]*\\.[ \\t]*b[ \\t]*\\.)", "m"),
    ],
  },
  {
    file: "packages/gateway/src/prompt/quoted-text.ts",
    why: "the part is a name of our own",
    examples: [like("<\\s*/\\s*message", "i")],
  },
  {
    file: "packages/opencode-plugin/src/file-tools.ts",
    why: "a model's own expression, in the process of the person's OpenCode, over lines",
  },
  {
    file: "packages/runtime/src/policy/launching-options.ts",
    why: "the part is one escaped character",
    examples: [like("\\[[^\\][]*\\/", "")],
  },
  {
    file: "packages/runtime/src/process/socket-owners.ts",
    why: "the parts are addresses in hexadecimal",
    examples: [like("^.*(?:0100007F:1F90 0100007F:A0B2).*$", "gm")],
  },
  {
    file: "packages/runtime/src/redaction/known-secrets.ts",
    why: "the parts are literals",
    examples: [like("secret|terces", "g")],
  },
  {
    file: "packages/runtime/src/redaction/search-long-text.ts",
    why: "expressions of token-patterns.ts and credential-patterns.ts, made sticky",
  },
  {
    file: "packages/runtime/src/redaction/text-redactor.ts",
    why: "the parts are literals",
    examples: [like("token=|key=", "i")],
  },
  {
    file: "packages/runtime/src/sessions/find-symbols.ts",
    why: "the part is the escaped beginning of a name",
    examples: [like("(?:^|\\W)(?:class|function|const)\\*?\\s+(abc[\\w$]*)", "i")],
  },
  {
    file: "packages/runtime/src/tools/files/search-escapes.ts",
    why: "the part is the name of a property, and it is only compiled",
  },
  {
    file: "packages/runtime/src/tools/files/search-lines.ts",
    why: "a model's own expression: it runs in a thread that is ended after TIME_LIMIT_MS",
  },
  { file: "packages/runtime/src/tools/files/search-pattern.ts", why: "only compiled here, for its mistakes" },
  {
    file: "packages/runtime/src/tools/web/readable-page.ts",
    why: "the part is a name of our own",
    examples: [like("<script(?=[\\s>/])", "gi"), like("</script\\s*>", "gi")],
  },
  {
    file: "packages/runtime/src/turns/prompt-marks.ts",
    why: "the part is a mark of our own",
    examples: [like("caret-mark-[0-9a-f]{12}", "i")],
  },
];
