import { stripVTControlCharacters } from "node:util";
import type { AgentEvent } from "@caret/protocol";
import { elapsedText } from "./amount-text.ts";
import { chooseGlyphs } from "./glyphs.ts";
import { createTerminalStyle } from "./look.ts";
import { shortenEnd, splitGraphemes } from "./shorten.ts";
import { TurnPrinter } from "./turn-printer.ts";
import { waitingFor } from "./waiting-for.ts";

const ERASE_LINE = "\x1b[2K";

const SAVE = "\x1b7";

const RESTORE = "\x1b8";

/** Scrolls if needed and moves back, so there is a line below without leaving the column. */
const MAKE_ROOM_BELOW = "\x1bD\x1b[A";

const SPINNER_MS = 100;

export interface TurnRendererOptions {
  /** A function, because windows are resized. */
  readonly columns: () => number;
  readonly colours: boolean;
  readonly isTty: boolean;
  /** Wrap prose between words. Default: if lines can be redrawn. */
  readonly wraps?: boolean;
  readonly isUtf8: boolean;
  /** Milliseconds; in a replay, the event's time. */
  readonly now: () => number;
  /** Shown in the closing line. */
  readonly sessionId?: string;
}

/** Turns events into text to write. Writes nothing and sets no timer itself. */
export interface TurnRenderer {
  push(events: readonly AgentEvent[]): string;
  /** The current status line; poll it a few times a second. */
  tick(): string;
  /** A line of Caret's own. */
  note(text: string): string;
  /** Lines that a person answers below: no status line disturbs the typing until `answered`. */
  ask(lines: readonly string[]): string;
  answered(): string;
  /** Shows the turn as stopping from now on. */
  stopping(): void;
  /** Removes the status line. */
  finish(): string;
}

export function createTurnRenderer(options: TurnRendererOptions): TurnRenderer {
  const { columns, colours, isTty, wraps = isTty, isUtf8, now, sessionId } = options;
  const style = createTerminalStyle(colours);
  const glyphs = chooseGlyphs(isUtf8);
  const printer = new TurnPrinter({ style, glyphs, columns, now, sessionId, isLive: isTty, wraps });
  const screen = createScreen({ isTty, columns });
  const createdAt = now();
  let isAsking = false;

  const status = (): string | undefined => {
    if (!isTty || isAsking || printer.hasEnded) return undefined;
    const elapsed = now() - (printer.startedAt ?? createdAt);
    const frame = glyphs.spinner[Math.floor(Math.max(0, elapsed) / SPINNER_MS) % glyphs.spinner.length] ?? "";
    const head = `${frame} ${elapsedText(elapsed)} ${glyphs.separator} `;
    // One column stays free: a full line would wrap and could not be erased.
    const width = columns() - 1 - head.length;
    return style.dim(head + shortenEnd(waitingFor(printer.moment(), width, glyphs.ellipsis), width, glyphs.ellipsis));
  };

  return {
    push: (events) => screen.show(events.map((event) => printer.print(event)).join(""), status()),
    tick: () => screen.show("", status()),
    note: (text) => screen.show(printer.note(text), status()),
    ask(lines) {
      isAsking = true;
      return screen.show(printer.ask(lines), undefined);
    },
    answered() {
      isAsking = false;
      return screen.show("", status());
    },
    stopping() {
      printer.isStopping = true;
    },
    finish: () => screen.show("", undefined),
  };
}

/** Keeps one live line below the output. Returns the text to write; writes nothing itself. */
interface Screen {
  /** Prints, then shows the status, if any. An unfinished text line stays, with the status below it. */
  show(text: string, status: string | undefined): string;
}

interface ScreenOptions {
  readonly isTty: boolean;
  readonly columns: () => number;
}

/** Pipes never get a status line. */
function createScreen({ isTty, columns }: ScreenOptions): Screen {
  let column = 0;
  let shown: string | undefined;
  let isBelow = false;

  const erase = (): string => {
    if (shown === undefined) return "";
    shown = undefined;
    return isBelow ? `${SAVE}\r\n${ERASE_LINE}${RESTORE}` : `\r${ERASE_LINE}`;
  };

  const draw = (status: string | undefined): string => {
    // Past the last column the cursor is between two lines, and could not be restored.
    const atEdge = column > 0 && column % columns() === 0;
    if (status === undefined || atEdge) return "";
    shown = status;
    isBelow = column > 0;
    return isBelow ? `${MAKE_ROOM_BELOW}${SAVE}\r\n${ERASE_LINE}${status}${RESTORE}` : status;
  };

  return {
    show(text, status) {
      if (!isTty) return text;
      if (text === "" && status === shown) return "";
      const before = erase();
      column = columnAfter(text, column, columns());
      return before + text + draw(status);
    },
  };
}

/** Counts on through wrapped lines. A wide character that does not fit leaves the last column empty. */
function columnAfter(text: string, column: number, columns: number): number {
  const lineStart = text.lastIndexOf("\n") + 1;
  const line = stripVTControlCharacters(text.slice(lineStart));
  let after = lineStart === 0 ? column : 0;
  for (const { width } of splitGraphemes(line)) {
    if (width === 2 && after % columns === columns - 1) after += 1;
    after += width;
  }
  return after;
}
