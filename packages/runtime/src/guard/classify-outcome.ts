import type { OutcomeClass } from "../tools/tool.ts";

export interface ToldOutcome {
  readonly output: string;
  /** Absent where the protocol does not say: an OpenAI tool message is only a text. */
  readonly isError?: boolean;
  readonly exitCode?: number;
}

/** How tools word their failures. The first that fits counts. */
const wordings: readonly (readonly [Exclude<OutcomeClass, "success">, RegExp])[] = [
  ["timeout", /\btimed[ -]?out\b|\btimeout\b|ETIMEDOUT|deadline exceeded/i],
  ["permission", /permission denied|not (permitted|allowed)|forbidden|access denied|EACCES|EPERM|rejected by/i],
  [
    "validation",
    /invalid (arguments?|input|parameters?|type)|validation|schema|(missing|unknown|unexpected|required) (\w+ )?(argument|parameter|property|field)/i,
  ],
  ["not_found", /not found|no such|does not exist|doesn't exist|cannot find|could not find|ENOENT|unknown tool/i],
];

/** A text that begins like this is a failure even where nothing else says so. */
const FAILURE = /^\s*(<\w+>)?\s*(\w*error|failed|failure|fatal|exception|traceback)\b/i;
/** The words that matter stand at the beginning; the rest may be a whole file. */
const MAX_READ = 2_000;

/** The class of an outcome of which only the text is known, that of a tool the client ran for instance. */
export function classifyOutcome({ output, isError, exitCode }: ToldOutcome): OutcomeClass {
  const beginning = output.slice(0, MAX_READ);
  const failed = isError ?? (exitCode === undefined ? FAILURE.test(beginning) : exitCode !== 0);
  if (!failed) return "success";
  const known = wordings.find(([, wording]) => wording.test(beginning))?.[0];
  return known ?? (beginning.trim() === "" ? "unknown" : "tool_error");
}
