import { useMemo, useRef } from "react";
import { Virtualizer } from "virtua";
import { grammarOfPath } from "../markdown/grammars.ts";
import type { HighlightedLine } from "../markdown/highlighter.ts";
import { useHighlight } from "../markdown/use-highlight.ts";
import { useRemembered } from "./card.tsx";
import { firstLineOf, pathOf } from "./tool-words.ts";
import type { ItemOf } from "./transcript-rows.ts";

const PREVIEW_LINES = 12;
/** More are drawn only where one looks. */
const MAX_DRAWN = 300;

/** What was read, with the numbers that its lines have in the file, in the colours of its language. */
export function ReadBody({ item: { tool, seq } }: { readonly item: ItemOf<"tool"> }) {
  const [isAll, setAll] = useRemembered(`read ${seq}`, false);
  const { lines, first } = useMemo(() => numberedLines(tool.output, firstLineOf(tool.input)), [tool]);
  const colours = useHighlight(lines.join("\n"), grammarOfPath(pathOf(tool)));
  if (tool.output.trim() === "") return <p className="px-3 py-1.5 text-[12px] text-faint">No output.</p>;
  // A line or two more are shown rather than offered.
  const isCut = !isAll && lines.length > PREVIEW_LINES + 2;
  const render = (line: string, index: number) => renderLine(line, index, first, colours?.[index]);
  return (
    <div className="py-2 font-mono text-[12px] leading-[18px]">
      {!isCut && lines.length > MAX_DRAWN ? (
        <LongText lines={lines} render={render} />
      ) : (
        (isCut ? lines.slice(0, PREVIEW_LINES) : lines).map(render)
      )}
      {isCut && (
        <button
          type="button"
          onClick={() => setAll(true)}
          className="ml-3 block min-h-7 cursor-pointer rounded font-sans text-soft underline decoration-line underline-offset-2 hover:text-ink max-md:min-h-10"
        >
          Show all {lines.length.toLocaleString("en")} lines
        </button>
      )}
    </div>
  );
}

const ownNumber = /^ *(\d+)(?:→|\t|\| ?)/;

/** Some agents number the lines themselves: then those numbers count, and are not shown twice. */
export function numberedLines(
  text: string,
  first: number,
): { readonly lines: readonly string[]; readonly first: number } {
  const lines = text.replace(/\n$/, "").split("\n");
  const numbers = lines.map((line) => ownNumber.exec(line)?.[1]);
  const [own] = numbers;
  const areTheirs = own !== undefined && numbers.every((number, index) => Number(number) === Number(own) + index);
  return areTheirs ? { lines: lines.map((line) => line.replace(ownNumber, "")), first: Number(own) } : { lines, first };
}

interface LongTextProps {
  readonly lines: readonly string[];
  readonly render: (line: string, index: number) => ReturnType<typeof renderLine>;
}

function LongText({ lines, render }: LongTextProps) {
  const scroller = useRef<HTMLElement>(null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
    <section ref={scroller} tabIndex={0} aria-label="What was read" className="max-h-[60vh] overflow-y-auto">
      <Virtualizer data={lines} scrollRef={scroller} itemSize={18}>
        {render}
      </Virtualizer>
    </section>
  );
}

function renderLine(line: string, index: number, first: number, colours: HighlightedLine | undefined) {
  return (
    <div key={index} className="flex">
      <span aria-hidden="true" className="w-12 shrink-0 select-none pr-3 text-right text-faint">
        {first + index}
      </span>
      <span className="min-w-0 flex-1 whitespace-pre-wrap pr-3 [overflow-wrap:anywhere] [tab-size:4]">
        {line === ""
          ? "\n"
          : (colours ?? [[line, ""] as const]).map(([text, token], column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a line keeps its pieces
              <span key={column} data-token={token === "" ? undefined : token}>
                {text}
              </span>
            ))}
      </span>
    </div>
  );
}
