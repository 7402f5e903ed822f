import type { LongLine } from "../../framing/open-line.ts";
import { createStringShortener } from "../../framing/shorten-strings.ts";

/** Together with the piece that a string is cut in, less than the log keeps of an output. */
const MAX_STRING_BYTES = 768 * 1024;

/** The result of a call whose long texts are what a tool printed or found. What an edit wrote is another matter: it is needed whole. */
const PRINTED =
  /^\{"type":"tool_call","subtype":"completed","call_id":"[^"]*","tool_call":\{"(?:shell|read|grep|glob|ls|mcp|webFetch|webSearch|task)ToolCall":/;

/** A result that is only looked at is shortened as it comes in. Everything else is left whole. */
export function openLongResult(head: string): LongLine | undefined {
  return PRINTED.test(head) ? createStringShortener({ maxBytes: MAX_STRING_BYTES }) : undefined;
}
