import { markHidden } from "../events/mark-hidden.ts";

/** The text, where one line of at most `max` characters shows all of it as it is; else undefined. */
export function plainLine(text: string, max: number): string | undefined {
  const isPlain = text.length <= max && text.trim() !== "" && !/[\n\t]|^ | $| {2}/.test(text);
  return isPlain && markHidden(text) === text ? text : undefined;
}

/** One line about a text for lists and labels. It does not hide that there are further lines, or more than it shows. */
export function shortLine(text: string, max: number): string {
  // Only the beginning can be shown, so a string of many megabytes is not searched whole.
  const line = markHidden(text.slice(0, max * 4))
    .trim()
    .replaceAll("\n", " ⏎ ")
    .replaceAll(/[\t ]+/g, " ");
  return line.length > max ? `${cutWhole(line, max - 1)}…` : line;
}

/** Not in the middle of a character. */
function cutWhole(line: string, max: number): string {
  return line.slice(0, max).replace(/[\ud800-\udbff]$/, "");
}
