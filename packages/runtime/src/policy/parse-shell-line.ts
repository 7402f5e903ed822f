import { readHereDocuments } from "./read-here-documents.ts";
import { readShellWord } from "./read-shell-word.ts";
import { accept, peek, type ShellCursor, type ShellFindings, type ShellWord } from "./shell-cursor.ts";

const MAX_LENGTH = 50_000;
const MAX_DEPTH = 8;
const REDIRECTION = /&>>|&>|<<<|<<-|<<|<>|<&|<\(|<|>>|>\||>&|>\(|>/y;

/**
 * Find every simple command of a line of POSIX shell or bash, as far as that can be done without running it.
 *
 * It does not check that the line is right, and it does not know aliases, functions or variables. Whatever it does not
 * follow it reports as opaque, because what follows may then be anything.
 */
export function parseShellLine(source: string): ShellFindings {
  const found: ShellFindings = { commands: [], writes: [], reads: [], opaque: [] };
  readLine(source, found, 0);
  return found;
}

function readLine(source: string, found: ShellFindings, depth: number): void {
  if (source.length > MAX_LENGTH || depth > MAX_DEPTH) {
    found.opaque.push("a line that is too long or too deep");
    return;
  }
  const cursor: ShellCursor = {
    source,
    at: 0,
    depth,
    found,
    awaited: [],
    readNested: (at) => readNested(at),
    readText: (text, { depth: outer }) => readLine(text, found, outer + 1),
  };
  readList(cursor, false);
  if (cursor.awaited.length > 0) found.opaque.push("a here-document that does not end");
}

/** The same text one level deeper: the position is shared, the level is not. */
function readNested(cursor: ShellCursor): void {
  if (cursor.depth >= MAX_DEPTH) {
    cursor.found.opaque.push("a line that is too long or too deep");
    cursor.at = cursor.source.length;
    return;
  }
  const inner: ShellCursor = { ...cursor, depth: cursor.depth + 1 };
  readList(inner, true);
  cursor.at = inner.at;
}

/** Read commands up to the end, or up to the parenthesis that closes them. */
function readList(cursor: ShellCursor, nested: boolean): void {
  let words: ShellWord[] = [];
  const finish = (): void => {
    if (words.length > 0) cursor.found.commands.push(words);
    words = [];
  };
  while (cursor.at < cursor.source.length) {
    const closes = accept(cursor, ")");
    if (closes && nested) return finish();
    if (closes) cursor.found.opaque.push("a parenthesis that closes nothing");
    else if (peek(cursor) === "(") readSubshell(cursor, words.length > 0, finish);
    else if (!readSeparator(cursor, finish)) readWordOrRedirection(cursor, words);
  }
  finish();
  if (nested) cursor.found.opaque.push("a parenthesis that is not closed");
}

/** A subshell stands where a command would. Behind words it is a function, an array or a pattern; doubled, arithmetic. */
function readSubshell(cursor: ShellCursor, behindWords: boolean, finish: () => void): void {
  cursor.at += 1;
  if (behindWords || peek(cursor) === "(") cursor.found.opaque.push("a parenthesis that is no subshell");
  finish();
  cursor.readNested(cursor);
}

/** Blanks, comments, line ends and operators. False when something else comes. */
function readSeparator(cursor: ShellCursor, finish: () => void): boolean {
  const character = peek(cursor);
  if (" \t\r".includes(character)) cursor.at += 1;
  else if (accept(cursor, "\\\n")) return true;
  else if (character === "#") skipComment(cursor);
  else if (character === "\n") {
    cursor.at += 1;
    finish();
    readHereDocuments(cursor);
  } else if (";|".includes(character) || (character === "&" && !cursor.source.startsWith("&>", cursor.at))) {
    cursor.at += 1;
    finish();
  } else return false;
  return true;
}

function skipComment(cursor: ShellCursor): void {
  const end = cursor.source.indexOf("\n", cursor.at);
  cursor.at = end === -1 ? cursor.source.length : end;
}

function readWordOrRedirection(cursor: ShellCursor, words: ShellWord[]): void {
  REDIRECTION.lastIndex = cursor.at;
  const operator = REDIRECTION.exec(cursor.source)?.[0];
  if (operator !== undefined) {
    cursor.at += operator.length;
    readRedirection(cursor, operator);
    return;
  }
  const word = readShellWord(cursor);
  const isDescriptor = /^\d+$/.test(word.text) && !word.quoted && /[<>]/.test(peek(cursor));
  if (!isDescriptor) words.push(word);
}

function readRedirection(cursor: ShellCursor, operator: string): void {
  if (operator.endsWith("(")) {
    cursor.found.opaque.push("a process substitution");
    cursor.readNested(cursor);
    return;
  }
  // The shell joins the lines first, so that `<`, a joined line and `<` are one operator.
  if (cursor.source.startsWith("\\\n", cursor.at)) cursor.found.opaque.push("an operator before a joined line");
  while (accept(cursor, " ") || accept(cursor, "\t"));
  const target = readShellWord(cursor);
  const isDocument = operator === "<<" || operator === "<<-";
  if (isDocument && !target.fixed) cursor.found.opaque.push("a here-document whose end is not plain");
  if (isDocument)
    cursor.awaited.push({ delimiter: target.text, stripTabs: operator === "<<-", literal: target.quoted });
  else if (operator === "<") cursor.found.reads.push(target);
  else if (operator.includes(">") && !isDescriptorTarget(operator, target)) cursor.found.writes.push(target);
}

function isDescriptorTarget(operator: string, { text }: ShellWord): boolean {
  return operator === ">&" && /^(\d+|-)$/.test(text);
}
