import { type ReactNode, useEffect, useState } from "react";
import { CopyButton } from "../parts/copy-button.tsx";
import { type HighlightedLine, highlight, knownHighlight } from "./highlighter.ts";

/** Names that stand behind a fence, and the grammar each of them means. Others are shown without colours. */
const grammars: Readonly<Record<string, readonly string[]>> = {
  typescript: ["ts", "typescript", "mts", "cts"],
  tsx: ["tsx", "jsx"],
  javascript: ["js", "javascript", "mjs", "cjs", "node"],
  json: ["json", "jsonc", "json5", "ndjson", "jsonl"],
  python: ["py", "python"],
  shellscript: ["sh", "bash", "zsh", "shell", "shellscript", "console"],
  html: ["html", "xml", "svg", "vue"],
  css: ["css", "scss", "less"],
  markdown: ["md", "markdown"],
  yaml: ["yml", "yaml"],
  toml: ["toml", "ini"],
  rust: ["rs", "rust"],
  go: ["go", "golang"],
  java: ["java", "kotlin", "kt"],
  c: ["c", "h", "cpp", "c++", "cc", "hpp"],
  sql: ["sql", "postgres", "sqlite"],
  diff: ["diff", "patch"],
  docker: ["dockerfile", "docker"],
};

const byName: ReadonlyMap<string, string> = new Map(
  Object.entries(grammars).flatMap(([grammar, names]) => names.map((name) => [name, grammar] as const)),
);

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

function useHighlight(code: string, grammar: string | undefined): readonly HighlightedLine[] | undefined {
  const known = grammar === undefined ? undefined : knownHighlight(code, grammar);
  const [, setFound] = useState<string>();
  useEffect(() => {
    if (grammar === undefined || known !== undefined) return;
    let isWanted = true;
    void highlight(code, grammar).then((lines) => {
      // The lines themselves are kept by the highlighter: this only says that they are there now.
      if (isWanted && lines !== undefined) setFound(code);
    });
    return () => {
      isWanted = false;
    };
  }, [code, grammar, known]);
  return known;
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

/** The grammar for the words behind a fence, or undefined. */
function grammarOf(info: string): string | undefined {
  const name = /^[\w+#-]+/.exec(info.trim())?.[0]?.toLowerCase();
  return name === undefined ? undefined : byName.get(name);
}
