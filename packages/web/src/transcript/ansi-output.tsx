import { type CSSProperties, memo, useMemo, useRef } from "react";
import { Virtualizer } from "virtua";
import { type AnsiLine, type AnsiSpan, parseAnsi } from "../terminal-text/ansi.ts";
import type { AnsiStyle } from "../terminal-text/ansi-style.ts";
import { useRemembered } from "./card.tsx";

const PREVIEW_LINES = 12;
/** Enough for the last lines of any output, so that a flood of it costs the same as a trickle. */
const PREVIEW_LENGTH = 12_000;
const MAX_LENGTH = 600_000;
const MAX_DRAWN = 300;

interface AnsiOutputProps {
  readonly text: string;
  /** What its "show all" is remembered by. */
  readonly name: string;
  readonly isLive: boolean;
  /** Show the last lines before all are asked for: a command says at its end how it went. */
  readonly isTail?: boolean;
}

/** What a command printed: a dozen lines, or all of it when asked for. */
export function AnsiOutput({ text, name, isLive, isTail = isLive }: AnsiOutputProps) {
  const [isAll, setAll] = useRemembered(name, false);
  const shown = useMemo(() => (isAll ? undefined : previewOf(text, isTail)), [text, isAll, isTail]);
  if (text.trim() === "") return isLive ? null : <p className="px-3 py-1.5 text-[12px] text-faint">No output.</p>;
  if (shown === undefined) return <WholeOutput text={text} />;
  return (
    <div className="px-3 py-2">
      {isTail && shown.more && <MoreButton text={text} onClick={() => setAll(true)} />}
      <Lines lines={shown.lines} />
      {!isTail && shown.more && <MoreButton text={text} onClick={() => setAll(true)} />}
    </div>
  );
}

function previewOf(text: string, isTail: boolean): { readonly lines: readonly AnsiLine[]; readonly more: boolean } {
  const isCut = text.length > PREVIEW_LENGTH;
  const part = isCut ? (isTail ? text.slice(-PREVIEW_LENGTH) : text.slice(0, PREVIEW_LENGTH)) : text;
  const lines = parseAnsi(part);
  // A line or two more are shown rather than offered.
  if (!isCut && lines.length <= PREVIEW_LINES + 2) return { lines, more: false };
  return { lines: isTail ? lines.slice(-PREVIEW_LINES) : lines.slice(0, PREVIEW_LINES), more: true };
}

function MoreButton({ text, onClick }: { readonly text: string; readonly onClick: () => void }) {
  return (
    <button
      type="button"
      onClick={onClick}
      className="block min-h-7 cursor-pointer rounded text-[12px] text-soft underline decoration-line underline-offset-2 hover:text-ink max-md:min-h-10"
    >
      Show all {countLines(text).toLocaleString("en")} lines
    </button>
  );
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) count += 1;
  return text.endsWith("\n") ? count : count + 1;
}

function WholeOutput({ text }: { readonly text: string }) {
  const scroller = useRef<HTMLElement>(null);
  const lines = useMemo(() => parseAnsi(text.slice(-MAX_LENGTH)), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
    <section ref={scroller} tabIndex={0} aria-label="Output" className="max-h-[60vh] overflow-y-auto px-3 py-2">
      {text.length > MAX_LENGTH && <p className="text-[12px] text-faint">Only the end of a very long output.</p>}
      {lines.length <= MAX_DRAWN ? (
        <Lines lines={lines} />
      ) : (
        <Virtualizer data={lines} scrollRef={scroller} itemSize={18}>
          {(line, index) => <Line key={index} line={line} />}
        </Virtualizer>
      )}
    </section>
  );
}

function Lines({ lines }: { readonly lines: readonly AnsiLine[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: a line of output is where it is
  return lines.map((line, index) => <Line key={index} line={line} />);
}

const Line = memo(
  ({ line }: { readonly line: AnsiLine }) => (
    <div className="whitespace-pre-wrap font-mono text-[12px] leading-[18px] [overflow-wrap:anywhere] [tab-size:8]">
      {line.length === 0 ? "\n" : line.map(renderSpan)}
    </div>
  ),
  (before, after) => isSameLine(before.line, after.line),
);

/** Output that grows is parsed again; what it says above the end is the same, and is not drawn again. */
function isSameLine(before: AnsiLine, after: AnsiLine): boolean {
  return (
    before.length === after.length &&
    before.every((span, index) => span.text === after[index]?.text && isSameStyle(span.style, after[index].style))
  );
}

const styleKeys = ["color", "background", "bold", "dim", "italic", "underline", "strike", "inverse"] as const;

function isSameStyle(before: AnsiStyle, after: AnsiStyle): boolean {
  return styleKeys.every((key) => before[key] === after[key]);
}

function renderSpan({ text, style }: AnsiSpan, index: number) {
  if (Object.keys(style).length === 0) return text;
  return (
    <span key={index} style={toCss(style)}>
      {text}
    </span>
  );
}

function inkOf({ color, dim }: AnsiStyle): string | undefined {
  return color ?? (dim ? "var(--soft)" : undefined);
}

/** The page's colours for a terminal's are chosen to be read on the page: on each other they would not be. */
function groundInk(background: string, { color, inverse }: AnsiStyle): string | undefined {
  return background.startsWith("var(") ? "var(--page)" : inverse ? "var(--page)" : color;
}

function toCss(style: AnsiStyle): CSSProperties {
  const background = style.inverse ? (style.color ?? "var(--ink)") : style.background;
  const color = background === undefined ? inkOf(style) : groundInk(background, style);
  const lines = [style.underline && "underline", style.strike && "line-through"].filter(Boolean).join(" ");
  return {
    ...(color !== undefined && { color }),
    ...(background !== undefined && { backgroundColor: background }),
    ...(style.bold && { fontWeight: 600 }),
    ...(style.italic && { fontStyle: "italic" }),
    ...(lines !== "" && { textDecorationLine: lines }),
  };
}
