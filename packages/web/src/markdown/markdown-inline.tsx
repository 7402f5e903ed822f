import type { Token, Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import { withOffsets } from "./markdown-blocks.ts";

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  rarr: "→",
  larr: "←",
  copy: "©",
  times: "×",
};

/** Words with their weights, links and code. Raw HTML is text here, and pictures are links: nothing is loaded. */
export function MarkdownInline({ tokens }: { readonly tokens: readonly Token[] | undefined }) {
  return withOffsets(tokens ?? []).map(({ offset, token }) => <Fragment key={offset}>{renderInline(token)}</Fragment>);
}

function renderInline(token: Token): ReactNode {
  switch (token.type) {
    case "strong":
      return (
        <strong className="font-semibold">
          <MarkdownInline tokens={token.tokens} />
        </strong>
      );
    case "em":
      return (
        <em>
          <MarkdownInline tokens={token.tokens} />
        </em>
      );
    case "del":
      return (
        <del>
          <MarkdownInline tokens={token.tokens} />
        </del>
      );
    case "codespan":
      return <code className="md-code">{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
    case "image":
      return <InlineLink token={token as Tokens.Link | Tokens.Image} />;
    case "escape":
      return (token as Tokens.Escape).text;
    case "text":
      return renderText(token as Tokens.Text);
    default:
      return token.raw;
  }
}

function renderText(token: Tokens.Text): ReactNode {
  return token.tokens === undefined ? decodeEntities(token.text) : <MarkdownInline tokens={token.tokens} />;
}

function InlineLink({ token }: { readonly token: Tokens.Link | Tokens.Image }) {
  const href = safeLink(token.href);
  const label =
    token.type === "image" ? `Image: ${token.text || token.href}` : <MarkdownInline tokens={token.tokens} />;
  if (href === undefined) return <span title={token.href}>{label}</span>;
  return (
    <a
      className="text-accent underline decoration-accent/40 underline-offset-2 hover:decoration-accent"
      href={href}
      target="_blank"
      rel="noopener noreferrer"
    >
      {label}
    </a>
  );
}

/** The address if it is one a reader may be sent to; scripts, files and data are not. */
export function safeLink(href: string): string | undefined {
  const url = URL.parse(href);
  return url !== null && ["http:", "https:", "mailto:"].includes(url.protocol) ? url.href : undefined;
}

/** The characters behind the commonest entities; what is none, or is unknown, stays as it was written. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] ?? whole) : whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
