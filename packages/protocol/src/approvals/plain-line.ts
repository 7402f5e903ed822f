import { markHidden } from "../events/mark-hidden.ts";

/** Returns the text if it fits, unaltered, on one line of at most `max` characters; otherwise undefined. */
export function plainLine(text: string, max: number): string | undefined {
  const isPlain = text.length <= max && text.trim() !== "" && !/[\n\t]|^ | $| {2}/.test(text);
  return isPlain && markHidden(text) === text ? text : undefined;
}

/** Shortens a text to one line for lists and labels, indicating line breaks and cuts. */
export function shortLine(text: string, max: number): string {
  // Slice first: only the start can be shown, and the string may be megabytes long.
  const line = markHidden(text.slice(0, max * 4))
    .trim()
    .replaceAll("\n", " ⏎ ")
    .replaceAll(/[\t ]+/g, " ");
  return line.length > max ? `${cutWhole(line, max - 1)}…` : line;
}

/** Never splits a surrogate pair. */
function cutWhole(line: string, max: number): string {
  return line.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}
