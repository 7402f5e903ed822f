import type { TextState } from "../assistant-text.ts";
import type { LongLine } from "../framing/open-line.ts";
import { createStringShortener } from "../framing/shorten-strings.ts";
import { createTextSkip } from "../framing/skip-text.ts";
import { recappedLength } from "../shown-text.ts";
import { ECHO_HEAD, RESULT_HEAD, TEXT_HEAD } from "./line-heads.ts";

/** Together with the piece that a string is cut in, less than the log keeps of an output. */
const MAX_PRINTED_BYTES = 768 * 1024;
/** Enough for the words of a failure, which stand in the same place. */
const MAX_RESULT_BYTES = 64 * 1024;

/** Nothing of an echo is needed; another object may stand behind it on the line. */
const MAX_ECHO_BYTES = 64;

/** The result of a call whose long texts are what a tool printed or found. What an edit wrote is another matter: it is needed whole. */
const PRINTED =
  /^\{"type":"tool_call","subtype":"completed","call_id":"[^"]*","tool_call":\{"(?:shell|read|grep|glob|ls|mcp|webFetch|webSearch|task)ToolCall":/;

/** `\uXXXX`, the longest escape: the line may be cut within one. */
const ESCAPE_BYTES = 6;

/**
 * Which part of a long line is needed, by how it begins: of what a tool printed the beginning, of the prompt's echo nothing, and of an answer that was
 * shown delta by delta only what it holds beyond that. Everything else is left whole.
 */
export function openLongLine(state: TextState, head: string): LongLine | undefined {
  if (PRINTED.test(head)) return createStringShortener({ maxBytes: MAX_PRINTED_BYTES });
  if (head.startsWith(ECHO_HEAD)) return createStringShortener({ maxBytes: MAX_ECHO_BYTES });
  // What is held back or being repeated has to be compared with the whole text.
  const { partial, held, replayed, shown } = state;
  if (!partial || shown.isKept || held !== undefined || replayed !== undefined) return undefined;
  if (head.startsWith(RESULT_HEAD)) return createStringShortener({ maxBytes: MAX_RESULT_BYTES });
  if (!head.startsWith(TEXT_HEAD)) return undefined;
  // A flush, marked or not: no delta is as long as this and begins as the segment does.
  const characters = recappedLength(shown, textOf(head.slice(TEXT_HEAD.length)));
  return characters === undefined ? undefined : createTextSkip({ from: TEXT_HEAD.length, characters });
}

/** The whole characters of the beginning of a JSON string, given as bytes. */
function textOf(bytes: string): string {
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  for (let cut = 0; cut <= 2 * ESCAPE_BYTES; cut += 1)
    try {
      return JSON.parse(`"${text.slice(0, text.length - cut)}"`) as string;
    } catch {} // cut within an escape: one character less may be whole
  return "";
}
