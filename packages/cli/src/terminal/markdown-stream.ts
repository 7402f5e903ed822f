import type { Glyphs } from "./glyphs.ts";
import type { TerminalStyle } from "./look.ts";
import { type InlineReading, paintInline, readInline } from "./markdown-inline.ts";

/** Shows Markdown as it comes. Only a marker whose meaning is not known yet is held back, never past its line. */
export interface MarkdownStream {
  push(text: string): string;
  end(): string;
}

type Paint = (text: string) => string;

/** How the rest of a line is shown; `verbatim` lines are code, in which nothing is a marker. */
interface LineLook {
  readonly paint: Paint;
  readonly verbatim: boolean;
}

interface LineStart {
  readonly shown: string;
  readonly rest: string;
  readonly look: LineLook;
  /** The fence that is open after this line's beginning. */
  readonly fence: string | undefined;
}

/** A line that begins so may still become a heading, a list item, a quotation or a fence. */
const maybeStart = /^\s*(?:#{1,6}|[-*+]|\d{1,9}[.)]?|`{1,2}|~{1,2}|>)?$/;
const maybeFenceEnd = /^ {0,3}(?:`+|~+)?[ \t]*$/;

/** Without colours the text stays as the agent wrote it: Markdown reads well by itself. */
export function createMarkdownStream(style: TerminalStyle, glyphs: Glyphs): MarkdownStream {
  if (!style.colours) return { push: (text) => text, end: () => "" };
  let held = "";
  let before = "";
  let look: LineLook | undefined;
  let fence: string | undefined;

  /** The look of the line, once its beginning tells; what shows the beginning itself. */
  const begin = (isWhole: boolean): string | undefined => {
    const maybe = fence === undefined ? maybeStart : maybeFenceEnd;
    if (!isWhole && maybe.test(held)) return undefined;
    const start = fence === undefined ? startLine(held, style, glyphs) : startCodeLine(held, fence, style);
    ({ look, fence, rest: held } = start);
    return start.shown;
  };

  const show = (isWhole: boolean): string => {
    const beginning = look === undefined ? begin(isWhole) : "";
    if (beginning === undefined || look === undefined) return "";
    const text = held;
    const reading: InlineReading = look.verbatim
      ? { spans: [{ kind: "text", text }], rest: "" }
      : readInline(text, before, isWhole);
    before = text.at(-1 - reading.rest.length) ?? before;
    held = reading.rest;
    return beginning + paintInline(reading, style, look.paint);
  };

  return {
    push(text) {
      const lines = text.split("\n");
      const last = lines.pop() ?? "";
      let shown = "";
      for (const line of lines) {
        held += line;
        shown += `${show(true)}\n`;
        look = undefined;
        before = "";
      }
      held += last;
      return held === "" ? shown : shown + show(false);
    },
    end() {
      const shown = held === "" ? "" : show(true);
      look = undefined;
      before = "";
      fence = undefined;
      return shown;
    },
  };
}

const asItIs: LineLook = { paint: (text) => text, verbatim: false };

function startLine(line: string, style: TerminalStyle, glyphs: Glyphs): LineStart {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (fence !== undefined) return { shown: "", rest: line, look: { paint: style.dim, verbatim: true }, fence };
  const unfenced = { fence: undefined };
  const heading = /^ {0,3}(#{1,6})[ \t]+/.exec(line);
  if (heading !== null) {
    const paint: Paint = heading[1] === "#" ? (text) => style.bold(style.underline(text)) : style.bold;
    return { ...unfenced, shown: "", rest: line.slice(heading[0].length), look: { paint, verbatim: false } };
  }
  const marked = (found: RegExpExecArray, mark: string): LineStart => {
    const [whole, indent = "", , space = ""] = found;
    const shown = `${indent}${style.dim(mark)}${space}`;
    return { ...unfenced, shown, rest: line.slice(whole.length), look: asItIs };
  };
  const bullet = /^(\s*)([-*+])([ \t]+)/.exec(line);
  if (bullet !== null) return marked(bullet, glyphs.bullet);
  const numbered = /^(\s*)(\d{1,9}[.)])([ \t]+)/.exec(line);
  if (numbered !== null) return marked(numbered, numbered[2] ?? "");
  const quotation = /^(\s*)(>)([ \t]?)/.exec(line);
  if (quotation !== null) return marked(quotation, glyphs.quote);
  return { ...unfenced, shown: "", rest: line, look: asItIs };
}

function startCodeLine(line: string, fence: string, style: TerminalStyle): LineStart {
  const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1];
  const closes = closing?.startsWith(fence) ?? false;
  const look = { paint: closes ? style.dim : style.cyan, verbatim: true };
  return { shown: "", rest: line, look, fence: closes ? undefined : fence };
}
