import type { TextState } from "../assistant-text.ts";
import type { LongLine } from "../framing/open-line.ts";
import { createStringShortener } from "../framing/shorten-strings.ts";
import { createTextSkip } from "../framing/skip-text.ts";
import { recappedLength } from "../shown-text.ts";
import { ECHO_HEAD, RESULT_HEAD, TEXT_HEAD } from "./line-heads.ts";

/** With the piece in which a string is cut, still less than the log keeps of an output. */
const MAX_PRINTED_BYTES = 768 * 1024;
/** Enough for a failure's message, which is in the same place. */
const MAX_RESULT_BYTES = 64 * 1024;

/** An echo is not needed; another object may follow it on the line. */
const MAX_ECHO_BYTES = 64;

/** Result of a call whose long strings are a tool's output. An edit's content is needed whole. */
const PRINTED =
  /^\{"type":"tool_call","subtype":"completed","call_id":"[^"]*","tool_call":\{"(?:shell|read|grep|glob|ls|mcp|webFetch|webSearch|task)ToolCall":/;

/** `\uXXXX`, the longest escape: the line may be cut within one. */
const ESCAPE_BYTES = 6;

/**
 * Which part of a long line is needed, judging by its start: the start of a tool's output, nothing of the echoed prompt, and only the
 * unseen part of an answer already shown in deltas. Any other line is kept whole.
 */
export function openLongLine(state: TextState, head: string): LongLine | undefined {
  if (PRINTED.test(head)) return createStringShortener({ maxBytes: MAX_PRINTED_BYTES });
  if (head.startsWith(ECHO_HEAD)) return createStringShortener({ maxBytes: MAX_ECHO_BYTES });
  // Text that is held back or replayed must be compared with the whole line.
  const { partial, held, replayed, shown } = state;
  if (!partial || shown.isKept || held !== undefined || replayed !== undefined) return undefined;
  if (head.startsWith(RESULT_HEAD)) return createStringShortener({ maxBytes: MAX_RESULT_BYTES });
  if (!head.startsWith(TEXT_HEAD)) return undefined;
  // A flush, marked or not: no delta is this long and starts like the segment.
  const characters = recappedLength(shown, textOf(head.slice(TEXT_HEAD.length)));
  return characters === undefined ? undefined : createTextSkip({ from: TEXT_HEAD.length, characters });
}

/** The whole characters at the start of a JSON string, given as bytes. */
function textOf(bytes: string): string {
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  for (let cut = 0; cut <= 2 * ESCAPE_BYTES; cut += 1)
    try {
      return JSON.parse(`"${text.slice(0, text.length - cut)}"`) as string;
    } catch {} // cut within an escape: one character less may be whole
  return "";
}
