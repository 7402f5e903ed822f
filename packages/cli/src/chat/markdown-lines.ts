import { Markdown } from "@earendil-works/pi-tui";
import type { Look } from "../terminal/look.ts";
import { cleanText } from "../terminal/text-cleaner.ts";
import { markdownTheme } from "./chat-theme.ts";

/** Markdown as lines of a terminal. What could steer the terminal is taken out before anything is painted. */
export function markdownLines(text: string, { style }: Look, columns: number): readonly string[] {
  const shown = cleanText(text).trim();
  if (shown === "") return [];
  const markdown = new Markdown(shown, 0, 0, markdownTheme(style), undefined, {
    preserveOrderedListMarkers: true,
    renderLatex: false,
  });
  // The library fills every line with blanks; who copies from the screen does not want them.
  return markdown.render(columns).map((line) => line.trimEnd());
}
