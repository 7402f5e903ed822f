/** JSON found in a text: its source and value. */
export interface FoundJson {
  readonly text: string;
  readonly value: unknown;
}

/** Start of a fence, inline code or a value. */
const OPENING = /`+|[{[]/g;
const INFO = /[^\n`{[]*/y;
const SPACE = /\s*/y;

/**
 * Extracts the only JSON value in an agent's text: alone, in a fence, or after words. Undefined if there is none, if it is broken, or if
 * there are several: a draft must not be mistaken for the answer. The text is returned as found.
 */
export function unwrapJson(said: string): FoundJson | undefined {
  // `trim` also removes a byte order mark, which JavaScript treats as white space.
  const text = said.trim();
  const whole = parsed(text);
  if (whole !== undefined) return whole;
  let only: FoundJson | undefined;
  for (let at = 0; ; ) {
    OPENING.lastIndex = at;
    const opening = OPENING.exec(text);
    if (opening === null) return only;
    const [mark] = opening;
    const read = mark.startsWith("`") ? readCode(text, opening.index, mark) : readValue(text, opening.index);
    if (read === undefined || (read.found !== undefined && only !== undefined)) return undefined;
    only ??= read.found;
    at = read.end;
  }
}

interface Read {
  readonly end: number;
  readonly found?: FoundJson | undefined;
}

/** Undefined: this text holds no answer, because a bracket is never closed or an object appears in the middle of words. */
function readValue(text: string, start: number): Read | undefined {
  const end = endOfValue(text, start, text.length);
  if (end === undefined) return undefined;
  const found = parsed(text.slice(start, end));
  // `[1]` in a sentence is a reference.
  if (text[start] === "[" && !/(?:^|[\n:])[ \t]*$/.test(text.slice(Math.max(0, start - 80), start))) return { end };
  if (end === text.length) return { end, found };
  return text[start] === "{" && found !== undefined ? undefined : { end };
}

/** JSON strings contain no line breaks, so what looks like the end of a fence is one. */
function readCode(text: string, start: number, mark: string): Read | undefined {
  if (mark.length < 3) {
    const close = text.indexOf(mark, start + mark.length);
    return { end: (close === -1 ? start : close) + mark.length };
  }
  const info = matchAt(INFO, text, start + mark.length);
  const begin = start + mark.length + info.length;
  const line = text.indexOf(`\n${mark}`, begin);
  const found = /^(?:json[5c]?)?$/i.test(info.trim()) ? valueIn(text, mark, begin, line) : undefined;
  if (found !== undefined) return found;
  return line === -1 ? undefined : { end: line + 1 + mark.length };
}

function valueIn(text: string, mark: string, begin: number, line: number): Read | undefined {
  const inside = begin + matchAt(SPACE, text, begin).length;
  if (text[inside] !== "{" && text[inside] !== "[") {
    const found = line === -1 ? undefined : parsed(text.slice(begin, line).trim());
    return found && { end: line + 1 + mark.length, found };
  }
  const end = endOfValue(text, inside, line === -1 ? text.length : line);
  if (end === undefined) return undefined;
  const after = end + matchAt(SPACE, text, end).length;
  const found = parsed(text.slice(inside, end));
  if (text.startsWith(mark, after)) return { end: after + mark.length, found };
  // An agent that stops right after the value forgot to close the fence.
  return after === text.length ? { end: after, found } : undefined;
}

function matchAt(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

const DEPTHS: Readonly<Record<string, number>> = { "{": 1, "[": 1, "}": -1, "]": -1 };

/** Index after the bracket that closes the one at `start`; undefined if none does before `limit`. */
function endOfValue(text: string, start: number, limit: number): number | undefined {
  let depth = 0;
  let isString = false;
  for (let at = start; at < limit; at += 1) {
    const character = text.charAt(at);
    if (character === '"') isString = !isString;
    else if (!isString) depth += DEPTHS[character] ?? 0;
    else if (character === "\\") at += 1;
    if (depth === 0) return at + 1;
  }
  return undefined;
}

function parsed(text: string): FoundJson | undefined {
  if (text === "") return undefined;
  try {
    return { text, value: JSON.parse(text) as unknown };
  } catch {
    return undefined; // not JSON
  }
}
