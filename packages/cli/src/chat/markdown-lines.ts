import { Markdown } from "@earendil-works/pi-tui";
import type { Look } from "../terminal/look.ts";
import { cleanText } from "../terminal/text-cleaner.ts";
import { markdownTheme } from "./chat-theme.ts";

/** Renders Markdown to terminal lines. Control sequences are removed before anything is painted. */
export function markdownLines(text: string, { style }: Look, columns: number): readonly string[] {
  const shown = cleanText(text).trim();
  if (shown === "") return [];
  const markdown = new Markdown(shown, 0, 0, markdownTheme(style), undefined, {
    preserveOrderedListMarkers: true,
    renderLatex: false,
  });
  // The library pads every line with blanks, which a person copying from the screen does not want.
  return markdown.render(columns).map((line) => line.trimEnd());
}
