import { type ClosingTags, closingTagsOf } from "./closing-tags.ts";
import { isDateLine, isDateStatement, withoutDates } from "./date-words.ts";

/** The names of blocks that are one word, besides all that are several: `system-reminder`, `environment_context`, … */
const PLAIN_NAMES = "context|environment|instructions|reminder|session";

const OPENING = new RegExp(
  `<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|${PLAIN_NAMES})(?:\\s[^<>]*)?>|<<<BEGIN_([a-z0-9_]+)>>>`,
  "gi",
);

/** What clients say before an image that a tool gave. */
const caption =
  /^[ \t]*(?:attached (?:image|file|media)s?(?:\(s\))? from tool results?|\[?(?:the )?tool (?:\S+ )?returned the following (?:attachment|image|file)s?(?:\(s\))?\]?):?[ \t]*$/i;
const CAPTIONS = new RegExp(caption, "gim");

/**
 * Client notes are what a client's program adds to a transcript by itself: reminders, the date, the state of the
 * environment. Programs move them from message to message, change them and take them out again, so they say nothing
 * about which conversation a transcript belongs to. They still go to the agent.
 */
export interface SplitText {
  /** What is left when the notes are taken out. */
  readonly spoken: string;
  readonly notes: readonly string[];
}

/** Tags whose content programs write and people do not; in lower case, with dashes. */
const noteTags: readonly RegExp[] = [
  /reminder/,
  /^env$|^environment(?:-(?:context|details|info|information|state))?$/,
  /^(?:current-|local-)?(?:date|time|datetime|date-time|timestamp)$/,
  /^git-?status$/,
  /^(?:system|user|workspace|session|editor|ide|runtime|client)-(?:context|info|information|state|status|details|notification)$/,
  /^internal-context$/,
];
/** `<context name="gitStatus">`: what such a tag holds is said by its attribute. */
const noteAttribute = /\bname\s*=\s*["']?[\w-]*(?:git|status|date|time|env|reminder)/i;
const namedTags = /^(?:context|section|block|info)$/;
/** A whole message in such a tag was put there by a program: people ask something besides. */
const wholeMessageTags = /^context$|-context$/;
/** OpenClaw's kind of brackets: `<<<BEGIN_…_CONTEXT>>>` to `<<<END_…_CONTEXT>>>`. */
const noteBracket = /CONTEXT|REMINDER|ENVIRONMENT|METADATA/i;

/** A tag with its attributes in one piece: `tagIn` reads its name. */
const opening = /<([a-z][^<>\n]*)>|<<<BEGIN_(\w+)>>>/iy;
const tagName = /^[a-z][\w.-]*/i;

/**
 * Take the notes out of something that a user's or a tool's message says. Only blocks that begin a line count: a person
 * who writes about such a tag does so within a sentence.
 */
export function splitNotes(text: string): SplitText {
  const { rest, blocks } = takeBlocks(text);
  const lines = rest.split("\n");
  const dates = lines.filter(isDateStatement);
  // The text itself where nothing is to be changed: it may be megabytes.
  const isWhole = dates.length === 0 && lines.every(isTidy);
  const said = isWhole ? rest : joinLines(lines.filter((line) => !isDateStatement(line)));
  const isContext = blocks.length === 0 && wholeMessageTags.test(tagAround(said));
  return isContext ? { spoken: "", notes: [said] } : { spoken: said, notes: [...blocks, ...dates] };
}

/** A system prompt without what changes from request to request in one and the same conversation. */
export function stableSystem(system: string): string {
  const { rest } = takeBlocks(system);
  const lines = rest.split("\n").filter((line) => !isDateLine(line) && !isRepositoryState(line));
  return joinLines(lines.map((line) => withoutDates(line, "(date)")));
}

/** Blank lines and the space around a line come and go between two renderings of the same message. */
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
  /** Where its line begins. */
  readonly index: number;
}

/** The openings of blocks that begin a line. It looks from one `<` to the next, of which a long text has few. */
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

/** The name that a tag begins with; it ends in a letter, a digit or a `_`. */
function tagIn(inner: string): string {
  const name = tagName.exec(inner)?.[0] ?? "";
  let length = name.length;
  while (name[length - 1] === "." || name[length - 1] === "-") length -= 1;
  return name.slice(0, length);
}

/** Where the block ends; undefined when it is not closed, or when the line goes on behind it. */
function endOf(text: string, match: RegExpExecArray, closings: ClosingTags): number | undefined {
  const [whole, inner = "", bracket] = match;
  const closing = bracket === undefined ? `</${tagIn(inner)}>` : `<<<END_${bracket}>>>`;
  const at = closings.next(closing, match.index + whole.length);
  if (at === undefined) return undefined;
  const end = at + closing.length;
  return /^[ \t\r]*(?:\n|$)/.test(text.slice(end, end + 100)) ? end : undefined;
}

/** The tag that a whole text stands in; empty when it stands in none. */
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

/** Lines of `git status`, `git log` and of a tree of files. */
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
 * A user's message without what the client has put into it: reminders, the state of the environment, captions. Clients
 * send those with every request, also beside the results of tools, where nobody has said anything.
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

/** What a tag begins with, and what ends a line besides a line feed. */
const UNCLEAR = ["<", "\r", "\u2028", "\u2029"];

/** Whether a user's message says anything without its markup. Decided by its first lines where those have none. */
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
