import { displayWidth, splitGraphemes } from "./display-width.ts";

/** Cut the middle out of a text that is wider than `width`: both ends of a path or a command tell something. */
export function shortenMiddle(text: string, width: number, ellipsis = "…"): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  if (room < 2) return fitStart(text, Math.max(0, width));
  const head = fitStart(text, Math.ceil(room / 2));
  return head + ellipsis + fitEnd(text, room - displayWidth(head));
}

/** Cut the end off: sentences tell the most at their beginning. */
export function shortenEnd(text: string, width: number, ellipsis = "…"): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  return room < 1 ? fitStart(text, Math.max(0, width)) : fitStart(text, room) + ellipsis;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

function fitStart(text: string, width: number): string {
  let fitted = "";
  let used = 0;
  // Long before the text's end is reached: a command may be megabytes long.
  for (const grapheme of splitGraphemes(text.slice(0, width * 8))) {
    used += grapheme.width;
    if (used > width) break;
    fitted += grapheme.text;
  }
  return fitted;
}

function fitEnd(text: string, width: number): string {
  let fitted = "";
  let used = 0;
  for (const grapheme of splitGraphemes(text.slice(-width * 8)).toReversed()) {
    used += grapheme.width;
    if (used > width) break;
    fitted = grapheme.text + fitted;
  }
  return fitted;
}
