import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";
import type { TerminalStyle } from "../terminal/look.ts";

/** The library's components in the style of all other commands: without colours, nothing is painted. */
export function markdownTheme(style: TerminalStyle): MarkdownTheme {
  return {
    heading: style.cyan,
    link: style.underline,
    linkUrl: style.dim,
    code: style.cyan,
    codeBlock: style.cyan,
    codeBlockBorder: style.dim,
    quote: style.dim,
    quoteBorder: style.dim,
    hr: style.dim,
    listBullet: style.dim,
    bold: style.bold,
    italic: style.italic,
    strikethrough: style.dim,
    underline: style.underline,
  };
}

export function selectTheme(style: TerminalStyle): SelectListTheme {
  return {
    selectedPrefix: style.cyan,
    selectedText: style.bold,
    description: style.dim,
    scrollInfo: style.dim,
    noMatch: style.dim,
  };
}

export function editorTheme(style: TerminalStyle): EditorTheme {
  return { borderColor: style.dim, selectList: selectTheme(style) };
}
