import type { Frame } from "../framing/frame.ts";

const TEXT_HEAD = '{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"';
const TEXT_TAIL = '"}]},"session_id":"';
const THINKING_HEAD = '{"type":"thinking","subtype":"delta","text":"';
const THINKING_TAIL = '","session_id":"';
/** Session id, then the time, then nothing more. A flush has a `model_call_id` in between and so fails. */
const lineEnd = /[\w.-]*","timestamp_ms":[1-9][0-9]{0,15}\}$/y;
/** Perhaps an escape, or what JSON forbids inside quotes: worth a closer look. */
const notPlain = /["\\\p{Cc}]/u;

/**
 * Recognise the commonest lines, deltas of text and thinking, by their exact first and last bytes, and take the text out
 * of the middle. Whatever differs in the slightest gives undefined and is parsed properly: this is only ever a shortcut.
 */
export function quickDelta(line: string): Frame | undefined {
  if (line.startsWith(TEXT_HEAD)) {
    const text = textBetween(line, TEXT_HEAD.length, TEXT_TAIL);
    return text === undefined ? undefined : { kind: "text-delta", text };
  }
  if (!line.startsWith(THINKING_HEAD)) return undefined;
  const text = textBetween(line, THINKING_HEAD.length, THINKING_TAIL);
  return text === undefined ? undefined : { kind: "thinking-delta", text, at: timeOf(line) };
}

/** The string that ends at `tail`. Quotes inside it are escaped, so that it cannot contain the tail itself. */
function textBetween(line: string, start: number, tail: string): string | undefined {
  const end = line.indexOf(tail, start);
  if (end === -1) return undefined;
  lineEnd.lastIndex = end + tail.length;
  if (!lineEnd.test(line)) return undefined;
  const text = line.slice(start, end);
  return notPlain.test(text) ? unescaped(text) : text;
}

function timeOf(line: string): number {
  return Number(line.slice(line.lastIndexOf(":") + 1, -1));
}

function unescaped(text: string): string | undefined {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    return undefined; // not a JSON string after all: the parser will say what the line is
  }
}
