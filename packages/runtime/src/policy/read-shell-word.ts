import {
  type DoubleQuotedPart,
  forEachChild,
  type ParameterExpansionPart,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "unbash";
import { isAccountedFor } from "./accounted-source.ts";
import type { ShellWalk } from "./shell-findings.ts";
import type { ShellWord } from "./shell-word.ts";

interface WordDraft {
  text: string;
  fixed: boolean;
  quoted: boolean;
  spread: boolean;
}

type CommandExpansion = Extract<WordPart, { type: "CommandExpansion" }>;

/** Characters that are no blanks to a shell, although they look like one or like nothing. */
const ODD = /[^\P{C}\t\n]|[^\P{Z} ]/u;

/** Read one word; the commands in its substitutions are added to what was found. */
export function readShellWord(word: Word, walk: ShellWalk): ShellWord {
  const draft: WordDraft = { text: "", fixed: true, quoted: false, spread: false };
  if (word.parts === undefined) readBare(word, draft, walk);
  else if (!isFilledBy(word.parts, word.pos, word.end)) walk.found.opaque.push("a word that is not known as a whole");
  if (word.parts !== undefined) for (const part of word.parts) readPart(part, draft, walk);
  return draft;
}

/** Only what is listed here is understood. */
function readPart(part: WordPart, draft: WordDraft, walk: ShellWalk): void {
  switch (part.type) {
    case "Literal":
      return readBare(part, draft, walk);
    case "SingleQuoted":
      walk.noteLiteral(part.pos, part.end);
      draft.text += part.value;
      draft.quoted = true;
      return;
    case "DoubleQuoted":
      return readDoubleQuoted(part, draft, walk);
    case "Glob":
    case "BraceExpansion":
      draft.spread = true;
      draft.text += part.text;
      if (part.parts !== undefined) readSpread(part.parts, draft, walk);
      return;
    default:
      return readExpansion(part, draft, walk);
  }
}

function readDoubleQuoted({ parts, pos, end }: DoubleQuotedPart, draft: WordDraft, walk: ShellWalk): void {
  draft.quoted = true;
  if (!isFilledBy(parts, pos + 1, end - 1)) walk.found.opaque.push("a word that is not known as a whole");
  for (const part of parts) {
    if (part.type === "Literal") draft.text += part.value;
    else readExpansion(part, draft, walk);
  }
}

/** Whether the parts follow each other from one position to another, without a gap. */
function isFilledBy(parts: readonly WordPart[], from: number, to: number): boolean {
  const ends = [from, ...parts.map(({ end }) => end)];
  return ends.at(-1) === to && parts.every(({ pos }, index) => pos === ends[index]);
}

/** Of `{a,$x}` and `[$x]` the text is known as it is written; what is expanded in it counts. */
function readSpread(parts: readonly WordPart[], draft: WordDraft, walk: ShellWalk): void {
  const { text } = draft;
  for (const part of parts) readPart(part, draft, walk);
  draft.text = text;
}

function readBare({ text, value }: { text: string; value: string }, draft: WordDraft, walk: ShellWalk): void {
  if (ODD.test(text)) walk.found.opaque.push("a character that is neither a blank nor visible");
  if (text.includes("\\\n")) walk.found.opaque.push("a joined line within a word");
  const bare = text.replaceAll(/\\./gs, "");
  // A parser that puts up with mistakes may take an operator for a part of a word.
  if (/[()<>|&;`\\]/.test(bare)) walk.found.opaque.push("an operator within a word");
  if (text.includes("\\")) draft.quoted = true;
  if (/[*?[{]/.test(bare)) draft.spread = true;
  // A rule that forbids `rm` forbids the program with a carriage return in its name as well.
  draft.text += value.replaceAll("\r", "");
}

function readExpansion(part: WordPart, draft: WordDraft, walk: ShellWalk): void {
  // What bash makes of these is known, and a rule may forbid it.
  draft.fixed &&= part.type === "AnsiCQuoted" || part.type === "LocaleString";
  switch (part.type) {
    case "SimpleExpansion":
      return;
    case "ParameterExpansion":
      return readParameter(part, walk);
    case "CommandExpansion":
      return readSubstitution(part, walk);
    case "AnsiCQuoted":
    case "LocaleString":
      draft.quoted = true;
      draft.text += part.type === "AnsiCQuoted" ? part.value : part.text.slice(2, -1);
      return notUnderstood(part, "a $ before a quote", walk);
    case "ArithmeticExpansion":
      walk.readHidden(part.text.replace(/^\$(\(\(|\[)/, "").replace(/(\)\)|\])$/, ""), walk);
      return notUnderstood(part, "arithmetic", walk);
    case "ProcessSubstitution":
      return notUnderstood(part, "a process substitution", walk);
    case "ExtendedGlob":
      walk.readHidden(part.pattern, walk);
      return notUnderstood(part, "an extended pattern", walk);
    default:
      return notUnderstood(part, "an expansion that is not known", walk);
  }
}

/** Backslashes in backquotes are read differently by shells, and the newest bash alone knows `${ …; }`. */
function readSubstitution({ text, script, pos, end }: CommandExpansion, walk: ShellWalk): void {
  const isQuoted = text.startsWith("`");
  const isPlain = isQuoted ? !text.includes("\\") : /^\$\((?!\()/.test(text);
  const from = pos + (isQuoted ? 1 : 2);
  if (!isPlain || script === undefined || !isAccountedFor(script, walk.source, from, end - 1))
    walk.found.opaque.push("a substitution that shells read differently");
  if (script !== undefined) walk.readNode(script, walk);
}

/** Those that neither set a variable nor calculate, look through another variable or run what a variable holds. */
function readParameter(part: ParameterExpansionPart, walk: ShellWalk): void {
  const { operation, prefix, index, text } = part;
  const hasPlainText = /^\$\{#?(?:\w+(?:[^\w$`{}"'\\][^$`{}"'\\]*)?|[@*#?$!-][^$`{}"'\\]*)\}$/.test(text);
  const isPlain =
    hasPlainText &&
    index === undefined &&
    prefix !== "!" &&
    (operation === undefined ||
      operation.type === "Remove" ||
      operation.type === "Replace" ||
      operation.type === "CaseModification" ||
      (operation.type === "Default" && !operation.operator.includes("=")));
  if (!isPlain) notUnderstood(part, "an expansion that is not plain", walk);
}

/** A sum of a thousand numbers is a tree of a thousand levels, and nothing in so deep a place is worth a look. */
const MAX_UNREAD_DEPTH = 500;

/** Nothing about the part is known, and the commands that stand in it count. */
export function notUnderstood(node: SyntaxNode, what: string, walk: ShellWalk): void {
  const unreadDepth = walk.unreadDepth + 1;
  if (unreadDepth === 1) walk.found.opaque.push(what);
  if (unreadDepth < MAX_UNREAD_DEPTH) forEachChild(node, (child) => walk.readNode(child, { ...walk, unreadDepth }));
}
