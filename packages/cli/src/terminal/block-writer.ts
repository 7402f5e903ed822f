import { createMarkdownStream, type MarkdownOptions } from "./markdown-stream.ts";
import { createTextCleaner } from "./text-cleaner.ts";
import { createWordWrap, noWrap } from "./word-wrap.ts";

/** Shows one text or thinking block as it streams. Leading blank lines are dropped. */
export interface BlockWriter {
  push(text: string): string;
  end(): string;
}

export function createTextBlock(options: MarkdownOptions): BlockWriter {
  const clean = createBlockCleaner();
  const markdown = createMarkdownStream(options);
  return {
    push: (text) => markdown.push(clean.push(text)),
    end: () => markdown.push(clean.end()) + markdown.end(),
  };
}

/** Marks every line, so thinking is distinguishable from an answer even without colours. */
export function createThinkingBlock({ style, glyphs, columns }: MarkdownOptions): BlockWriter {
  const markWidth = glyphs.thinking.length + 1;
  const wrap = columns === undefined ? noWrap : createWordWrap(() => columns() - markWidth);
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
  const broken = (text: string): string => {
    const lines = text.split("\n");
    const last = lines.pop() ?? "";
    return lines.map((line) => `${wrap.push(line)}${wrap.flush()}\n`).join("") + wrap.push(last);
  };
  return {
    push: (text) => mark(broken(clean.push(text))),
    end: () => mark(broken(clean.end()) + wrap.flush()),
  };
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
