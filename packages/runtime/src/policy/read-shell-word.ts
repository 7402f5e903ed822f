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

/** Characters that look like blanks or nothing but are not blanks to a shell. */
const ODD = /[^\P{C}\t\n]|[^\P{Z} ]/u;

/** Reads one word and collects the commands in its substitutions. */
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

/** Whether the parts cover the range without gaps. */
function isFilledBy(parts: readonly WordPart[], from: number, to: number): boolean {
  const ends = [from, ...parts.map(({ end }) => end)];
  return ends.at(-1) === to && parts.every(({ pos }, index) => pos === ends[index]);
}

/** For `{a,$x}` and `[$x]` the source text is kept, but expansions in it count. */
function readSpread(parts: readonly WordPart[], draft: WordDraft, walk: ShellWalk): void {
  const { text } = draft;
  for (const part of parts) readPart(part, draft, walk);
  draft.text = text;
}

function readBare({ text, value }: { text: string; value: string }, draft: WordDraft, walk: ShellWalk): void {
  if (ODD.test(text)) walk.found.opaque.push("a character that is neither a blank nor visible");
  if (text.includes("\\\n")) walk.found.opaque.push("a joined line within a word");
  const bare = text.replaceAll(/\\./gs, "");
  // An error-tolerant parser may take an operator as part of a word.
  if (/[()<>|&;`\\]/.test(bare)) walk.found.opaque.push("an operator within a word");
  if (text.includes("\\")) draft.quoted = true;
  if (/[*?[{]/.test(bare)) draft.spread = true;
  // A rule that forbids `rm` also forbids a name with a carriage return in it.
  draft.text += value.replaceAll("\r", "");
}

function readExpansion(part: WordPart, draft: WordDraft, walk: ShellWalk): void {
  // Bash's result for these is known, and a rule may forbid it.
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

/** Shells treat backslashes in backquotes differently, and only the newest bash knows `${ …; }`. */
function readSubstitution({ text, script, pos, end }: CommandExpansion, walk: ShellWalk): void {
  const isQuoted = text.startsWith("`");
  const isPlain = isQuoted ? !text.includes("\\") : /^\$\((?!\()/.test(text);
  const from = pos + (isQuoted ? 1 : 2);
  if (!isPlain || script === undefined || !isAccountedFor(script, walk.source, from, end - 1))
    walk.found.opaque.push("a substitution that shells read differently");
  if (script !== undefined) walk.readNode(script, walk);
}

/** Accepts only expansions that neither set a variable nor calculate, dereference another variable, or run a variable's content. */
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

/** A sum of a thousand numbers is a tree of a thousand levels; nothing that deep is worth a look. */
const MAX_UNREAD_DEPTH = 500;

/** Reports the part as opaque; the commands in it still count. */
export function notUnderstood(node: SyntaxNode, what: string, walk: ShellWalk): void {
  const unreadDepth = walk.unreadDepth + 1;
  if (unreadDepth === 1) walk.found.opaque.push(what);
  if (unreadDepth < MAX_UNREAD_DEPTH) forEachChild(node, (child) => walk.readNode(child, { ...walk, unreadDepth }));
}
