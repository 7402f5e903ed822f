import { isJsonObject, type JsonObject, parseJson } from "@caret/protocol";
import type { Frame } from "./frame.ts";

/** Deeper JSON parses but cannot be serialised again: `JSON.stringify` fails at some thousand levels. */
const MAX_DEPTH = 2_000;
const ESCAPE = "\u001b";
/** Colours, cursor movement and titles: the patterns that terminals and spinners really use. */
const ansiPattern = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|[@-Z\\\\-_])`,
  "g",
);
/** Wrappers prefix a line with its stream: `stdout: {…}`, `stdout{…}`. */
const streamPrefix = /^(?:stdout|stderr)\s*(?::\s*)?(?=\{)/i;

/**
 * The objects of one line: usually one, sometimes several, sometimes none. Nothing is silently dropped: anything else is returned as
 * `noise` or `malformed`.
 */
export function readObjects(line: string, sentinel = false): readonly Frame[] {
  const text = stripNoise(line);
  if (text === "") return [];
  const value = parseJson(text);
  if (isJsonObject(value)) return [toFrame(value, text, sentinel)];
  if (!text.startsWith("{")) return [{ kind: "noise", text }];
  return splitObjects(text, sentinel);
}

function stripNoise(line: string): string {
  if (line.startsWith("{")) return line;
  const text = line.includes(ESCAPE) ? line.replace(ansiPattern, "") : line;
  // A torn write leaves NULs before the JSON; JSON itself never begins with one.
  const start = text.search(/[^\s\0]/);
  return start === -1 ? "" : text.slice(start).trimEnd().replace(streamPrefix, "");
}

function toFrame(value: JsonObject, text: string, sentinel: boolean): Frame {
  if (text.length > 2 * MAX_DEPTH && isDeeperThan(value, MAX_DEPTH))
    return { kind: "malformed", text, reason: `nested deeper than ${MAX_DEPTH} levels` };
  return { kind: "object", value, sentinel };
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (depth === 0) return true;
  return Object.values(value).some((child) => isDeeperThan(child, depth - 1));
}

/** Splits a line after each balanced object. An unbalanced rest is malformed; other text is noise. */
function splitObjects(text: string, sentinel: boolean): readonly Frame[] {
  const frames: Frame[] = [];
  let rest = text;
  while (rest.startsWith("{")) {
    const end = objectEnd(rest);
    const value = end === -1 ? undefined : parseJson(rest.slice(0, end));
    if (!isJsonObject(value)) return [...frames, { kind: "malformed", text: rest, reason: "not valid JSON" }];
    frames.push(toFrame(value, rest.slice(0, end), sentinel));
    rest = rest.slice(end).trimStart();
  }
  return rest === "" ? frames : [...frames, { kind: "noise", text: rest }];
}

/** Index after the closing brace of the leading object, or -1. Braces inside strings do not count. */
function objectEnd(text: string): number {
  let depth = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '"') index = closingQuote(text, index);
    else if (char === "{") depth += 1;
    else if (char === "}") depth -= 1;
    if (depth === 0) return index + 1;
  }
  return -1;
}

/** Where the string opened at `open` closes, or the end of the text. */
function closingQuote(text: string, open: number): number {
  for (let index = open + 1; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === '"') return index;
  }
  return text.length;
}
