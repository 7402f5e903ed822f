import type { Look } from "./look.ts";
import { createMarkdownStream } from "./markdown-stream.ts";
import { createTextCleaner } from "./text-cleaner.ts";

/** Shows one block of text or of thinking as it comes. Blank lines before its first word are left out. */
export interface BlockWriter {
  push(text: string): string;
  end(): string;
}

export function createTextBlock({ style, glyphs }: Look): BlockWriter {
  const clean = createBlockCleaner();
  const markdown = createMarkdownStream(style, glyphs);
  return {
    push: (text) => markdown.push(clean.push(text)),
    end: () => markdown.push(clean.end()) + markdown.end(),
  };
}

/** Every line is marked, so that thinking cannot be taken for an answer where there are no colours either. */
export function createThinkingBlock({ style, glyphs }: Look): BlockWriter {
  const clean = createBlockCleaner();
  let isAtLineStart = true;
  const mark = (text: string): string => {
    const lines = text.split("\n").map((line, index) => {
      const begins = index > 0 || isAtLineStart;
      return begins && line !== "" ? style.dim(`${glyphs.thinking} ${line}`) : style.dim(line);
    });
    if (text !== "") isAtLineStart = text.endsWith("\n");
    return lines.join("\n");
  };
  return { push: (text) => mark(clean.push(text)), end: () => mark(clean.end()) };
}

function createBlockCleaner(): BlockWriter {
  const cleaner = createTextCleaner();
  let hasBegun = false;
  const begin = (text: string): string => {
    const shown = hasBegun ? text : text.replace(/^[ \t]*\n+/, "");
    hasBegun ||= shown.trim() !== "";
    return shown;
  };
  return { push: (text) => begin(cleaner.push(text)), end: () => begin(cleaner.end()) };
}
