import type { FoundFile, FoundLine } from "../../calls/tool-data.ts";

/** A request to the search thread about some whole files. */
export interface SearchQuestion extends SearchWish {
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

export interface SearchWish {
  readonly pattern: string;
  readonly flags: string;
  readonly isMultiline: boolean;
  /** Lines of context. */
  readonly before: number;
  readonly after: number;
  /** Remaining limits. Lines beyond them are only counted. */
  readonly maxLines: number;
  readonly maxCharacters: number;
  /** Per line. */
  readonly maxLength: number;
  /** Stop at the first line beyond the limit. */
  readonly endsWhenFull: boolean;
}

export interface SearchAnswer {
  readonly found: readonly FoundFile[];
  /** Further lines exist. */
  readonly isCut: boolean;
}

/** All matching lines, file by file, with their context. */
export function searchLines({ files, ...wish }: SearchQuestion): SearchAnswer {
  const flags = wish.isMultiline ? `${wish.flags}g` : wish.flags;
  const expression = new RegExp(wish.pattern, flags);
  const room = { lines: wish.maxLines, characters: wish.maxCharacters, isCut: false };
  const found: FoundFile[] = [];
  for (const { path, text } of files) {
    const lines = linesOf(text);
    const matched = wish.isMultiline ? spannedLines(text, expression) : matchingLines(lines, expression);
    const file = matched.size > 0 ? toFoundFile(path, lines, matched, wish, room) : undefined;
    if (file !== undefined) found.push(file);
    if (room.isCut && wish.endsWhenFull) break;
  }
  return { found, isCut: room.isCut };
}

/** Text after the last line feed is a line only if it is not empty. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

function matchingLines(lines: readonly string[], expression: RegExp): ReadonlySet<number> {
  const matched = new Set<number>();
  for (const [index, line] of lines.entries()) if (expression.test(line)) matched.add(index);
  return matched;
}

/** The lines that matches touch, in one pass over text and matches. */
function spannedLines(text: string, expression: RegExp): ReadonlySet<number> {
  const matched = new Set<number>();
  let line = 0;
  let next = endOfLine(text, 0);
  for (const match of text.matchAll(expression)) {
    // An empty match after the final line feed is on no line.
    if (match.index === text.length && (text === "" || text.endsWith("\n"))) break;
    const last = Math.max(match.index, match.index + match[0].length - 1);
    while (next <= match.index && next < text.length) {
      line += 1;
      next = endOfLine(text, next);
    }
    matched.add(line);
    while (next <= last && next < text.length) {
      line += 1;
      next = endOfLine(text, next);
      matched.add(line);
    }
  }
  return matched;
}

/** Where the next line begins. */
function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end + 1;
}

interface Room {
  lines: number;
  characters: number;
  isCut: boolean;
}

function toFoundFile(
  path: string,
  lines: readonly string[],
  matched: ReadonlySet<number>,
  { before, after, maxLength }: SearchWish,
  room: Room,
): FoundFile {
  const found: FoundLine[] = [];
  let totalLines = 0;
  let done = 0;
  for (const at of matched) {
    const to = Math.min(lines.length, at + after + 1);
    for (let index = Math.max(done, at - before); index < to; index += 1) {
      totalLines += 1;
      done = index + 1;
      if (room.lines === 0 || room.characters <= 0) room.isCut = true;
      if (room.isCut) continue;
      const line = (lines[index] ?? "").replace(/\r$/, "");
      const text = line.slice(0, maxLength);
      found.push({
        number: index + 1,
        text,
        leftOut: line.length - text.length,
        isContext: !matched.has(index),
      });
      room.lines -= 1;
      room.characters -= text.length;
    }
  }
  return { path, matchedLines: matched.size, totalLines, lines: found };
}
