import type { Look, TerminalStyle } from "./look.ts";
import { type InlineReading, paintInline, readInline } from "./markdown-inline.ts";
import { markdownTableLines, tableRow } from "./markdown-table.ts";
import { createWordWrap, noWrap } from "./word-wrap.ts";

/**
 * Shows Markdown as it streams. It holds back a marker whose meaning is still open, never past its line; a table until it is complete; and,
 * when wrapping, the last word.
 */
export interface MarkdownStream {
  push(text: string): string;
  end(): string;
}

export interface MarkdownOptions extends Look {
  /** Width for word wrap. If absent, lines are not wrapped: for pipes. */
  readonly columns?: (() => number) | undefined;
}

type Paint = (text: string) => string;

/** How the rest of a line is shown; `verbatim` lines are code, where nothing is a marker. */
interface LineLook {
  readonly paint: Paint;
  readonly verbatim: boolean;
}

interface LineStart {
  readonly shown: string;
  /** Indent of the line's wrapped continuations. */
  readonly indent: string;
  readonly rest: string;
  readonly look: LineLook;
  /** The fence that is open after this line's start. */
  readonly fence: string | undefined;
}

/** Starts of a line that can still become a heading, a list item, a quotation or a fence. */
const maybeStart = /^\s*(?:#{1,6}|[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|>)?$/;
const maybeFenceEnd = /^ {0,3}(?:`+|~+)?[ \t]*$/;

/** Without colours the text stays as the agent wrote it: Markdown reads well by itself. */
export function createMarkdownStream(options: MarkdownOptions): MarkdownStream {
  const { style, columns } = options;
  if (!style.colours && columns === undefined) return { push: (text) => text, end: () => "" };
  const wrap = columns === undefined ? noWrap : createWordWrap(columns);
  let held = "";
  let before = "";
  let look: LineLook | undefined;
  let fence: string | undefined;
  let table: string[] = [];

  /** Sets the line's style once its start determines it; returns the start as shown. */
  const begin = (isWhole: boolean): string | undefined => {
    const maybe = fence === undefined ? maybeStart : maybeFenceEnd;
    if (!isWhole && maybe.test(held)) return undefined;
    const start = fence === undefined ? startLine(held, options) : startCodeLine(held, fence, style);
    ({ look, fence, rest: held } = start);
    return wrap.begin(start.shown, start.indent);
  };

  const show = (isWhole: boolean): string => {
    const beginning = look === undefined ? begin(isWhole) : "";
    if (beginning === undefined || look === undefined) return "";
    const text = held;
    const reading: InlineReading =
      look.verbatim || !style.colours
        ? { spans: [{ kind: "text", text }], rest: "" }
        : readInline(text, before, isWhole);
    before = text.at(-1 - reading.rest.length) ?? before;
    held = reading.rest;
    const painted = paintInline(reading, style, look.paint);
    return beginning + (look.verbatim ? painted : wrap.push(painted));
  };

  const endTable = (): string => {
    const lines = markdownTableLines(table, options, columns?.() ?? Number.POSITIVE_INFINITY);
    table = [];
    return lines.map((line) => `${line}\n`).join("");
  };

  const isInTable = (): boolean => style.colours && look === undefined && fence === undefined && tableRow.test(held);

  const endLine = (): string => {
    if (isInTable()) {
      table.push(held);
      held = "";
      return "";
    }
    const shown = `${endTable()}${show(true)}${wrap.flush()}\n`;
    look = undefined;
    before = "";
    return shown;
  };

  return {
    push(text) {
      const lines = text.split("\n");
      const last = lines.pop() ?? "";
      let shown = "";
      for (const line of lines) {
        held += line;
        shown += endLine();
      }
      held += last;
      // A space may precede a table's next line; anything that cannot belong to it ends it.
      const maybeInTable = isInTable() || (table.length > 0 && held.trim() === "");
      return held === "" || maybeInTable ? shown : shown + endTable() + show(false);
    },
    end() {
      // As with every last line, a table's has no line end here.
      const shown = isInTable() ? (endLine() + endTable()).slice(0, -1) : endTable() + (held === "" ? "" : show(true));
      const rest = wrap.flush();
      look = undefined;
      before = "";
      fence = undefined;
      return shown + rest;
    },
  };
}

const asItIs: LineLook = { paint: (text) => text, verbatim: false };

function startLine(line: string, { style, glyphs }: Look): LineStart {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  const plain = { shown: "", indent: "", rest: line, look: asItIs, fence };
  if (fence !== undefined) return { ...plain, look: { paint: style.dim, verbatim: true } };
  const heading = style.colours ? /^ {0,3}(#{1,6})[ \t]+/.exec(line) : null;
  if (heading !== null) {
    const paint: Paint = heading[1] === "#" ? (text) => style.bold(style.underline(text)) : style.bold;
    return { ...plain, rest: line.slice(heading[0].length), look: { paint, verbatim: false } };
  }
  const found = /^(\s*)([-*+]|\d{1,9}[.)]|>)([ \t]+)/.exec(line) ?? /^(\s*)(>)([ \t]?)/.exec(line);
  if (found !== null) return { ...plain, ...startMarked(found, { style, glyphs }), rest: line.slice(found[0].length) };
  const indent = /^\s*/.exec(line)?.[0] ?? "";
  return { ...plain, shown: indent, indent, rest: line.slice(indent.length) };
}

/** A list item or a quotation; continuations align with its first word. */
function startMarked(found: RegExpExecArray, { style, glyphs }: Look): Pick<LineStart, "shown" | "indent"> {
  const [, indent = "", written = "", space = ""] = found;
  const pretty: Readonly<Record<string, string>> = {
    ">": glyphs.quote,
    "-": glyphs.bullet,
    "*": glyphs.bullet,
    "+": glyphs.bullet,
  };
  const mark = style.colours ? (pretty[written] ?? written) : written;
  const shown = `${indent}${style.dim(mark)}${space}`;
  return { shown, indent: written === ">" ? shown : " ".repeat(indent.length + mark.length + space.length) };
}

function startCodeLine(line: string, fence: string, style: TerminalStyle): LineStart {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  const closes = closing?.startsWith(fence) ?? false;
  const look = { paint: closes ? style.dim : style.cyan, verbatim: true };
  return { shown: "", indent: "", rest: line, look, fence: closes ? undefined : fence };
}
