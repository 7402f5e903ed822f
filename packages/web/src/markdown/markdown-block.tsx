import type { Token, Tokens } from "marked";
import { createElement, Fragment, type ReactNode } from "react";
import { CodeBlock } from "./code-block.tsx";
import { isClosedFence, withOffsets } from "./markdown-blocks.ts";
import { MarkdownInline } from "./markdown-inline.tsx";

/** One block and all within it. */
function MarkdownBlocks({ tokens }: { readonly tokens: readonly Token[] }) {
  return withOffsets(tokens).map(({ offset, token }) => <Fragment key={offset}>{renderBlock(token)}</Fragment>);
}

export function renderBlock(token: Token): ReactNode {
  switch (token.type) {
    case "paragraph":
      return (
        <p>
          <MarkdownInline tokens={token.tokens} />
        </p>
      );
    case "text":
      return <MarkdownInline tokens={token.tokens ?? [token]} />;
    case "heading":
      return <Heading token={token as Tokens.Heading} />;
    case "list":
      return <List token={token as Tokens.List} />;
    case "code":
      return renderCode(token as Tokens.Code);
    case "blockquote":
      return (
        <blockquote>
          <MarkdownBlocks tokens={token.tokens ?? []} />
        </blockquote>
      );
    case "table":
      return <Table token={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    case "space":
    case "def":
    case "checkbox":
      return null;
    default:
      return <p className="whitespace-pre-wrap">{token.raw.trimEnd()}</p>;
  }
}

function renderCode({ text, lang, raw }: Tokens.Code): ReactNode {
  return <CodeBlock code={text} info={lang ?? ""} isClosed={isClosedFence(raw)} />;
}

/** Below the page's own headings, so that these do not stand among them. Agents begin with either of the first two depths. */
function Heading({ token }: { readonly token: Tokens.Heading }) {
  const level = Math.max(3, Math.min(6, token.depth + 1));
  return createElement(`h${level}`, { "data-depth": token.depth }, <MarkdownInline tokens={token.tokens} />);
}

function List({ token }: { readonly token: Tokens.List }) {
  const items = withOffsets(token.items).map(({ offset, token: item }) => <ListItem key={offset} item={item} />);
  if (!token.ordered)
    return <ul className={token.items.some((item) => item.task) ? "md-tasks" : undefined}>{items}</ul>;
  return <ol start={token.start === "" ? 1 : token.start}>{items}</ol>;
}

function ListItem({ item }: { readonly item: Tokens.ListItem }) {
  return (
    <li>
      {item.task && (
        <span className="mr-1.5 font-mono text-soft" role="img" aria-label={item.checked ? "Done" : "Not done"}>
          {item.checked ? "☑" : "☐"}
        </span>
      )}
      <MarkdownBlocks tokens={item.tokens} />
    </li>
  );
}

function Table({ token }: { readonly token: Tokens.Table }) {
  return (
    // A wide table scrolls by itself; the keyboard must reach it then.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
    <section className="md-table" tabIndex={0} aria-label="Table">
      <table>
        <thead>
          <tr>{token.header.map((cell, column) => renderCell("th", cell, column))}</tr>
        </thead>
        <tbody>
          {token.rows.map((cells, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows only ever come at the end
            <tr key={row}>{cells.map((cell, column) => renderCell("td", cell, column))}</tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const alignments = { center: "text-center", right: "text-right", left: "text-left" } as const;

function renderCell(tag: "th" | "td", cell: Tokens.TableCell, column: number): ReactNode {
  const className = cell.align === null ? undefined : alignments[cell.align];
  return createElement(tag, { key: column, className }, <MarkdownInline tokens={cell.tokens} />);
}
