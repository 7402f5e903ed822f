import type { ReactNode } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { grammarOf } from "./grammars.ts";
import type { HighlightedLine } from "./highlighter.ts";
import { useHighlight } from "./use-highlight.ts";

interface CodeBlockProps {
  readonly code: string;
  /** What stands behind the fence. */
  readonly info: string;
  /** An open fence grows with every word: it stays plain until it is whole. */
  readonly isClosed: boolean;
}

export function CodeBlock({ code, info, isClosed }: CodeBlockProps) {
  const grammar = grammarOf(info);
  const lines = useHighlight(code, isClosed ? grammar : undefined);
  return (
    <figure className="md-fence group/fence">
      <figcaption>
        <span>{info.split(/\s/)[0]}</span>
        {isClosed && <CopyButton text={code} label="Copy code" />}
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>{lines === undefined ? code : renderLines(lines)}</code>
      </pre>
    </figure>
  );
}

function renderLines(lines: readonly HighlightedLine[]): ReactNode {
  return lines.map((line, number) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a finished text keeps its lines
    <span key={number}>
      {line.map(([text, token], column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a finished line keeps its pieces
        <span key={column} data-token={token === "" ? undefined : token}>
          {text}
        </span>
      ))}
      {number < lines.length - 1 && "\n"}
    </span>
  ));
}
