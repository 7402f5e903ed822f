import { type ClosingTags, closingTagsOf } from "./closing-tags.ts";
import { isDateLine, isDateStatement, withoutDates } from "./date-words.ts";

/** Single-word block names. Names of several words always match: `system-reminder`, `environment_context`, … */
const PLAIN_NAMES = "context|environment|instructions|reminder|session";

const OPENING = new RegExp(
  `<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|${PLAIN_NAMES})(?:\\s[^<>]*)?>|<<<BEGIN_([a-z0-9_]+)>>>`,
  "gi",
);

/** The caption that clients put before an image returned by a tool. */
const caption =
  /^[ \t]*(?:attached (?:image|file|media)s?(?:\(s\))? from tool results?|\[?(?:the )?tool (?:\S+ )?returned the following (?:attachment|image|file)s?(?:\(s\))?\]?):?[ \t]*$/i;
const CAPTIONS = new RegExp(caption, "gim");

/**
 * Client notes are text that a client's program adds to a transcript on its own: reminders, the date, the state of the environment.
 * Programs move, change and remove them between messages, so they must not be used to identify a conversation. The agent still gets them.
 */
export interface SplitText {
  /** The text without the notes. */
  readonly spoken: string;
  readonly notes: readonly string[];
}

/** Tags that programs write and people do not; lower case, with dashes. */
const noteTags: readonly RegExp[] = [
  /reminder/,
  /^env$|^environment(?:-(?:context|details|info|information|state))?$/,
  /^(?:current-|local-)?(?:date|time|datetime|date-time|timestamp)$/,
  /^git-?status$/,
  /^(?:system|user|workspace|session|editor|ide|runtime|client)-(?:context|info|information|state|status|details|notification)$/,
  /^internal-context$/,
];
/** `<context name="gitStatus">`: the attribute says what the tag holds. */
const noteAttribute = /\bname\s*=\s*["']?[\w-]*(?:git|status|date|time|env|reminder)/i;
const namedTags = /^(?:context|section|block|info)$/;
/** A message that consists of such a tag alone comes from a program: people add a question. */
const wholeMessageTags = /^context$|-context$/;
/** OpenClaw's brackets: `<<<BEGIN_…_CONTEXT>>>` to `<<<END_…_CONTEXT>>>`. */
const noteBracket = /CONTEXT|REMINDER|ENVIRONMENT|METADATA/i;

/** A tag including its attributes; `tagIn` extracts its name. */
const opening = /<([a-z][^<>\n]*)>|<<<BEGIN_(\w+)>>>/iy;
const tagName = /^[a-z][\w.-]*/i;

/**
 * Removes the notes from a user or tool message. Only blocks that begin a line count: people mention such a tag in the middle of a
 * sentence.
 */
export function splitNotes(text: string): SplitText {
  const { rest, blocks } = takeBlocks(text);
  const lines = rest.split("\n");
  const dates = lines.filter(isDateStatement);
  // Return the text itself if nothing changes: it can be megabytes long.
  const isWhole = dates.length === 0 && lines.every(isTidy);
  const said = isWhole ? rest : joinLines(lines.filter((line) => !isDateStatement(line)));
  const isContext = blocks.length === 0 && wholeMessageTags.test(tagAround(said));
  return isContext ? { spoken: "", notes: [said] } : { spoken: said, notes: [...blocks, ...dates] };
}

/** A system prompt without the parts that change between requests of the same conversation. */
export function stableSystem(system: string): string {
  const { rest } = takeBlocks(system);
  const lines = rest.split("\n").filter((line) => !isDateLine(line) && !isRepositoryState(line));
  return joinLines(lines.map((line) => withoutDates(line, "(date)")));
}

/** Blank lines and surrounding spaces vary between two renderings of the same message. */
function joinLines(lines: readonly string[]): string {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join("\n");
}

function isTidy(line: string): boolean {
  return line !== "" && line.trim() === line;
}

interface Opening {
  readonly match: RegExpExecArray;
  /** Start of its line. */
  readonly index: number;
}

/** Finds the opening tags that begin a line. It jumps from one `<` to the next, of which even a long text has few. */
function* openingsIn(text: string): Generator<Opening> {
  for (let at = text.indexOf("<"); at !== -1; at = text.indexOf("<", at + 1)) {
    let index = at;
    while (index > 0 && isBlank(text.charCodeAt(index - 1))) index -= 1;
    if (index > 0 && !isLineEnd(text.charCodeAt(index - 1))) continue;
    opening.lastIndex = at;
    const match = opening.exec(text);
    if (match !== null) yield { match, index };
  }
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

function isLineEnd(code: number): boolean {
  return code === 0x0a || code === 0x0d || code === 0x2028 || code === 0x2029;
}

function takeBlocks(text: string): { readonly rest: string; readonly blocks: readonly string[] } {
  const kept: string[] = [];
  const blocks: string[] = [];
  const closings = closingTagsOf(text);
  let from = 0;
  for (const { match, index } of openingsIn(text)) {
    if (index < from) continue;
    const end = isNote(match) ? endOf(text, match, closings) : undefined;
    if (end === undefined) continue;
    kept.push(text.slice(from, index));
    blocks.push(text.slice(index, end).trim());
    from = end;
  }
  return { rest: [...kept, text.slice(from)].join("\n"), blocks };
}

function isNote([, inner = "", bracket]: RegExpExecArray): boolean {
  if (bracket !== undefined) return noteBracket.test(bracket);
  const name = tagIn(inner);
  const attributes = inner.slice(name.length);
  const tag = plainTag(name);
  return noteTags.some((pattern) => pattern.test(tag)) || (namedTags.test(tag) && noteAttribute.test(attributes));
}

/** The tag's name, which ends in a letter, a digit or `_`. */
function tagIn(inner: string): string {
  const name = tagName.exec(inner)?.[0] ?? "";
  let length = name.length;
  while (name[length - 1] === "." || name[length - 1] === "-") length -= 1;
  return name.slice(0, length);
}

/** End of the block; undefined if it is not closed or if text follows on its last line. */
function endOf(text: string, match: RegExpExecArray, closings: ClosingTags): number | undefined {
  const [whole, inner = "", bracket] = match;
  const closing = bracket === undefined ? `</${tagIn(inner)}>` : `<<<END_${bracket}>>>`;
  const at = closings.next(closing, match.index + whole.length);
  if (at === undefined) return undefined;
  const end = at + closing.length;
  return /^[ \t\r]*(?:\n|$)/.test(text.slice(end, end + 100)) ? end : undefined;
}

/** The tag that encloses the whole text; empty if there is none. */
function tagAround(text: string): string {
  const inner = /^<([a-z][^<>\n]*)>/i.exec(text)?.[1];
  if (inner === undefined) return "";
  const name = tagIn(inner);
  const closing = `</${name}>`;
  return text.endsWith(closing) && text.indexOf(closing) === text.length - closing.length ? plainTag(name) : "";
}

function plainTag(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, "$1-$2")
    .replaceAll(/[_.]/g, "-")
    .toLowerCase();
}

const repositoryState: readonly RegExp[] = [
  /^(?: [MADRCU]|[MADRCU?!][ MADRCU?!]) \S+(?: -> \S+)?$/,
  /^\W*(?:working tree clean|clean)\W*$/i,
  /^\W*nothing to commit\b/i,
  /^\W*(?:current |git )?branch:\s/i,
  /^\s*(?:[*|]\s*)?(?=\d*[a-f])(?=[a-f]*\d)[0-9a-f]{7,40} \S/,
  /^[\s│|]*[├└]/,
];

/** Lines of `git status`, of `git log` and of a file tree. */
function isRepositoryState(line: string): boolean {
  const plain = line.trimEnd();
  return repositoryState.some((pattern) => pattern.test(plain)) || isBranchLine(plain);
}

/** `## main...origin/main [ahead 1]` */
function isBranchLine(line: string): boolean {
  const branches = /^## (\S+)(?: \[[^\]]*\])?$/.exec(line)?.[1] ?? "";
  const between = branches.indexOf("...", 1);
  return between !== -1 && between + 3 < branches.length;
}

/**
 * Strips what the client added to a user's message: reminders, the state of the environment, captions. Clients send those with every
 * request, even beside tool results, where the user said nothing.
 */
export function withoutClientMarkup(text: string): string {
  const kept: string[] = [];
  const closings = closingTagsOf(text);
  let from = 0;
  for (const match of text.matchAll(OPENING)) {
    const closing = match[2] === undefined ? `</${match[1]}>` : `<<<END_${match[2]}>>>`;
    const end = match.index < from ? undefined : closings.next(closing, match.index);
    if (end === undefined) continue;
    kept.push(text.slice(from, match.index));
    from = end + closing.length;
  }
  kept.push(text.slice(from));
  return kept.join("").replaceAll(CAPTIONS, "").trim();
}

/** Starts a tag, or ends a line other than by a line feed. */
const UNCLEAR = ["<", "\r", "\u2028", "\u2029"];

/** Whether a user's message says anything apart from its markup. Plain first lines decide it without parsing the rest. */
export function saysSomething(text: string): boolean {
  for (let from = 0; from <= text.length; ) {
    const next = text.indexOf("\n", from);
    const end = next === -1 ? text.length : next;
    const line = text.slice(from, end).trim();
    if (UNCLEAR.some((mark) => line.includes(mark))) break;
    if (line !== "" && !caption.test(line)) return true;
    from = end + 1;
  }
  return withoutClientMarkup(text) !== "";
}
