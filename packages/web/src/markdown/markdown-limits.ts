import { Lexer, type Token } from "marked";
import { cutMarkdown, type MarkdownPiece } from "./cut-markdown.ts";

/** Lists and quotations within each other: people write five. */
const MAX_DEPTH = 24;
/** How these begin on one line, and how they are indented under each other. */
const DEEP_LINE = new RegExp(`^(?:[ \\t]{0,8}(?:>|(?:[-*+]|\\d{1,9}[.)])(?=[ \\t]))){${MAX_DEPTH}}`, "m");
const DEEP_INDENT = new RegExp(`^[ \\t]{${2 * MAX_DEPTH}}[ \\t]*(?:[-*+>]|\\d{1,9}[.)])[ \\t]`, "m");
/** What the marks of a line or paragraph may cost, each with all the text around it; and so much more for each character of the text. */
const BASE_COST = 300_000;
const COST_PER_CHARACTER = 12;
const MARK = /[!-/:-@[-`{-~]/g;

/**
 * The tokens of Markdown, in time that its length bounds: what is nested deeper than people nest, and a paragraph with more marks than
 * can be read, is shown as it is written. An agent's answer must not stop the page.
 */
export function lexWithinLimits(text: string): readonly Token[] {
  const budget = { left: BASE_COST + COST_PER_CHARACTER * text.length };
  return cutMarkdown(text).flatMap((piece) => lexPiece(piece, budget));
}

function lexPiece({ text, fence }: MarkdownPiece, budget: { left: number }): readonly Token[] {
  if (fence !== undefined) return [{ type: "code", raw: text, lang: fence.info, text: fence.code }];
  if (DEEP_LINE.test(text) || DEEP_INDENT.test(text)) return [plain(text)];
  try {
    const lexer = new Lexer({ gfm: true });
    lexer.blockTokens(text, lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue) {
      const cost = src.length * (src.match(MARK)?.length ?? 0);
      if (cost > budget.left) tokens.push({ type: "text", raw: src, text: src, escaped: false });
      else lexer.inlineTokens(src, tokens);
      budget.left -= Math.min(cost, budget.left);
    }
    return lexer.tokens;
  } catch {
    // Nested too deep for the stack; the text itself is still there to be read.
    return [plain(text)];
  }
}

function plain(text: string): Token {
  return { type: "plain", raw: text };
}
