import { accept, peek, type ShellCursor, type ShellWord } from "./shell-cursor.ts";

interface WordDraft {
  text: string;
  fixed: boolean;
  quoted: boolean;
  spread: boolean;
}

const ENDS = new Set([" ", "\t", "\r", "\n", ";", "&", "|", "<", ">", "(", ")", ""]);
const VARIABLE = /[A-Za-z_]\w*|[0-9@*#?$!-]/y;

/** Read one word. The cursor stands on its first character, and afterwards behind its last. */
export function readShellWord(cursor: ShellCursor): ShellWord {
  const draft: WordDraft = { text: "", fixed: true, quoted: false, spread: false };
  while (!ENDS.has(peek(cursor))) readPiece(cursor, draft);
  return draft;
}

function readPiece(cursor: ShellCursor, draft: WordDraft): void {
  const character = peek(cursor);
  cursor.at += 1;
  if (character === "\\") return readEscape(cursor, draft);
  if (character === "'") return readSingleQuoted(cursor, draft);
  if (character === '"') return readDoubleQuoted(cursor, draft);
  // A `$"…"` is a string to translate: what is quoted counts.
  if (character === "$" && peek(cursor) === '"') return;
  if (character === "$") return readDollar(cursor, draft);
  if (character === "`") return readBackquoted(cursor, draft, "$`\\");
  if ("*?[{".includes(character)) draft.spread = true;
  draft.text += character;
}

function readEscape(cursor: ShellCursor, draft: WordDraft): void {
  const character = peek(cursor);
  cursor.at += 1;
  if (character === "\n") return;
  draft.text += character;
  draft.quoted = true;
}

function readSingleQuoted(cursor: ShellCursor, draft: WordDraft): void {
  const end = cursor.source.indexOf("'", cursor.at);
  if (end === -1) return giveUp(cursor, "a quote that is not closed");
  draft.text += cursor.source.slice(cursor.at, end);
  draft.quoted = true;
  cursor.at = end + 1;
}

function readDoubleQuoted(cursor: ShellCursor, draft: WordDraft): void {
  draft.quoted = true;
  while (!accept(cursor, '"')) {
    const character = peek(cursor);
    if (character === "") return giveUp(cursor, "a quote that is not closed");
    cursor.at += 1;
    if (character === "$") readDollar(cursor, draft);
    else if (character === "`") readBackquoted(cursor, draft, '$`\\"');
    else if (character === "\\") readQuotedEscape(cursor, draft);
    else draft.text += character;
  }
}

/** Within double quotes a backslash is only special before these. */
function readQuotedEscape(cursor: ShellCursor, draft: WordDraft): void {
  const character = peek(cursor);
  const isSpecial = character !== "" && '$`"\\\n'.includes(character);
  if (isSpecial) cursor.at += 1;
  if (!isSpecial) draft.text += "\\";
  else if (character !== "\n") draft.text += character;
}

function readDollar(cursor: ShellCursor, draft: WordDraft): void {
  const next = peek(cursor);
  if (next === "(") return readSubstitution(cursor, draft);
  if (next === "{") return readBraces(cursor, draft);
  if (next === "'" || next === "\\") {
    cursor.found.opaque.push("a $ before a quote");
    return;
  }
  VARIABLE.lastIndex = cursor.at;
  const name = VARIABLE.exec(cursor.source)?.[0];
  if (name === undefined) {
    draft.text += "$";
    return;
  }
  cursor.at += name.length;
  draft.fixed = false;
}

function readSubstitution(cursor: ShellCursor, draft: WordDraft): void {
  draft.fixed = false;
  cursor.at += 1;
  if (peek(cursor) === "(") cursor.found.opaque.push("arithmetic");
  cursor.readNested(cursor);
}

/** `${…}` may run commands inside; it is not taken apart. */
function readBraces(cursor: ShellCursor, draft: WordDraft): void {
  draft.fixed = false;
  const end = cursor.source.indexOf("}", cursor.at);
  if (end === -1) return giveUp(cursor, "a ${ that is not closed");
  const body = cursor.source.slice(cursor.at + 1, end);
  if (!/^[#!]?\w+([:%#/^,+=?@-][^$`{"'\\]*)?$/.test(body)) return giveUp(cursor, "an expansion that is not plain");
  cursor.at = end + 1;
}

/** Before `escapable` characters a backslash is taken off; elsewhere it belongs to the text, which is a line of its own. */
function readBackquoted(cursor: ShellCursor, draft: WordDraft, escapable: string): void {
  draft.fixed = false;
  let text = "";
  while (!accept(cursor, "`")) {
    if (peek(cursor) === "") return giveUp(cursor, "a backquote that is not closed");
    text += readBackquotedPiece(cursor, escapable);
  }
  cursor.readText(text, cursor);
}

function readBackquotedPiece(cursor: ShellCursor, escapable: string): string {
  const character = peek(cursor);
  cursor.at += 1;
  if (character !== "\\") return character;
  const next = peek(cursor);
  cursor.at += 1;
  // Shells differ in whether they join the lines before they read the text.
  if (next === "\n") cursor.found.opaque.push("a joined line in backquotes");
  return next !== "" && escapable.includes(next) ? next : `\\${next}`;
}

/** Nothing behind this point can be trusted to be what it looks like. */
function giveUp(cursor: ShellCursor, what: string): void {
  cursor.found.opaque.push(what);
  cursor.at = cursor.source.length;
}
