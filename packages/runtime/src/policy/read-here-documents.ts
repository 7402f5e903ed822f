import type { ShellCursor } from "./shell-cursor.ts";

/** The bodies are data, except that an unquoted delimiter lets substitutions in them run. */
export function readHereDocuments(cursor: ShellCursor): void {
  for (const { delimiter, stripTabs, literal } of cursor.awaited.splice(0)) {
    const isLast = (line: string): boolean => (stripTabs ? line.replace(/^\t+/, "") : line) === delimiter;
    const body = readBody(cursor, literal, isLast);
    if (body === undefined) cursor.found.opaque.push("a here-document that does not end");
    else if (!literal && /`|\$\(/.test(body.replaceAll("\\\n", "")))
      cursor.found.opaque.push("a substitution in a here-document");
  }
}

/**
 * The lines up to the last one; undefined when that does not come. Unless the body is literal, the shell joins lines at
 * a backslash, which can make the last line, or unmake it: where that could be, nothing behind it can be judged.
 */
function readBody(cursor: ShellCursor, literal: boolean, isLast: (line: string) => boolean): string | undefined {
  const start = cursor.at;
  let before = "";
  while (cursor.at < cursor.source.length) {
    const lineStart = cursor.at;
    const line = readRawLine(cursor);
    const goesOn = isContinued(line) && !literal;
    const joined = before + line.slice(0, goesOn ? -1 : undefined);
    const readings = readingsOf(line, joined);
    const isEnd = readings.some(isLast);
    if (isEnd && readings.length > 1) cursor.found.opaque.push("a here-document whose end may be on a joined line");
    if (isEnd) return cursor.source.slice(start, lineStart);
    before = goesOn ? joined : "";
  }
  return undefined;
}

/** Shells differ in whether they take tabs off before they join. */
function readingsOf(line: string, joined: string): readonly string[] {
  return joined === line ? [line] : [line, joined, joined.replaceAll("\t", "")];
}

function isContinued(line: string): boolean {
  return /(?<!\\)(\\\\)*\\$/.test(line);
}

function readRawLine(cursor: ShellCursor): string {
  const end = cursor.source.indexOf("\n", cursor.at);
  const line = cursor.source.slice(cursor.at, end === -1 ? undefined : end);
  cursor.at = end === -1 ? cursor.source.length : end + 1;
  return line;
}
