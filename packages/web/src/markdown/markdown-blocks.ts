import type { Token } from "marked";
import { lexWithinLimits } from "./markdown-limits.ts";

/** One top-level block of Markdown: a paragraph, a list, a fence. It keeps its identity while later text grows. */
export interface MarkdownBlock {
  /** Where it begins in the text: it has no other identity, and needs none. */
  readonly start: number;
  readonly token: Token;
}

export interface MarkdownText {
  readonly text: string;
  readonly blocks: readonly MarkdownBlock[];
}

const nothing: MarkdownText = { text: "", blocks: [] };

/** A last block that is longer than this is read again only when it has grown by a part of itself. */
const LONG_BLOCK = 16_000;
const GROWTH = 1 / 32;

/** Whether so little of a text is new that reading it can wait: else a long last block would be read again with each delta. */
export function canWait(text: string, before: MarkdownText): boolean {
  const last = before.text.length - (before.blocks.at(-1)?.start ?? 0);
  const isNew = text.length - before.text.length;
  return last > LONG_BLOCK && isNew >= 0 && isNew < last * GROWTH && text.startsWith(before.text);
}

/**
 * The blocks of Markdown. With what was read before of a beginning of it, only the last block is read again: text that
 * arrives in thousands of pieces costs as much as its blocks, not as much as its pieces.
 */
export function readMarkdown(given: string, before: MarkdownText = nothing): MarkdownText {
  const text = given.includes("\r") ? given.replace(/\r\n?/g, "\n") : given;
  if (text === before.text) return before;
  const kept = text.startsWith(before.text) ? before.blocks.slice(0, -1) : [];
  const start = kept.length === 0 ? 0 : (before.blocks[kept.length]?.start ?? 0);
  return { text, blocks: [...kept, ...lexBlocks(text.slice(start), start)] };
}

/** Spaces between blocks are nobody's; a block that is last may still become another by what follows. */
function lexBlocks(text: string, offset: number): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  let start = offset;
  for (const token of lexWithinLimits(text)) {
    if (token.type !== "space") blocks.push({ start, token });
    start += token.raw.length;
  }
  return blocks;
}

/** Whether a fence has its closing line: before that it is shown as it comes. */
export function isClosedFence(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (fence === undefined) return true;
  const last = raw.trimEnd().split("\n").slice(1).at(-1)?.trim() ?? "";
  return last.length >= fence.length && last === (fence[0] ?? "").repeat(last.length);
}

/** Each token with where it begins: what comes later never changes that, so it serves as a key. */
export function withOffsets<Given extends Pick<Token, "raw">>(
  tokens: readonly Given[],
): readonly { readonly offset: number; readonly token: Given }[] {
  let offset = 0;
  return tokens.map((token) => {
    const found = { offset, token };
    // A token of a line that is empty by nature still takes a offset of its own.
    offset += Math.max(1, token.raw.length);
    return found;
  });
}
