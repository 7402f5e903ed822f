import { memo, useRef } from "react";
import { renderBlock } from "./markdown-block.tsx";
import { canWait, type MarkdownBlock, type MarkdownText, readMarkdown } from "./markdown-blocks.ts";
import "./markdown.css";

const MAX_KEPT = 100;
/** Finished texts, so that what scrolls back into view is not read again. */
const kept = new Map<string, MarkdownText>();

/** Markdown as people read it. While it grows only its last block is read and drawn again. */
export function Markdown({ text, isOpen = false }: { readonly text: string; readonly isOpen?: boolean }) {
  const before = useRef<MarkdownText>(undefined);
  const read = isOpen ? readOpen(text, before.current) : readFinished(text, before.current);
  before.current = read;
  return (
    <div className="md">
      {read.blocks.map((block) => (
        <Block key={block.start} block={block} />
      ))}
    </div>
  );
}

const Block = memo(({ block }: { readonly block: MarkdownBlock }) => renderBlock(block.token));

function readOpen(text: string, before: MarkdownText | undefined): MarkdownText {
  return before !== undefined && canWait(text, before) ? before : readMarkdown(text, before);
}

function readFinished(text: string, before: MarkdownText | undefined): MarkdownText {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const read = readMarkdown(text, before);
  if (kept.size >= MAX_KEPT) kept.delete(kept.keys().next().value ?? "");
  kept.set(text, read);
  return read;
}
