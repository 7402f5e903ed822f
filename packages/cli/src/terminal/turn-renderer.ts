import type { AgentEvent } from "@caret/protocol";
import { elapsedText } from "./amount-text.ts";
import { chooseGlyphs } from "./glyphs.ts";
import { createScreen } from "./screen.ts";
import { shortenEnd } from "./shorten.ts";
import { createTerminalStyle } from "./terminal-style.ts";
import { TurnPrinter } from "./turn-printer.ts";
import { waitingFor } from "./waiting-for.ts";

const SPINNER_MS = 100;

export interface TurnRendererOptions {
  /** Asked each time, because windows are resized. */
  readonly columns: () => number;
  readonly colours: boolean;
  readonly isTty: boolean;
  readonly isUtf8: boolean;
  /** Milliseconds; a replay gives the time of the event. */
  readonly now: () => number;
  /** Told in the closing line. */
  readonly sessionId?: string;
}

/** Turns events into text to write. It writes nothing and sets no timer itself. */
export interface TurnRenderer {
  push(events: readonly AgentEvent[]): string;
  /** The status line as it is by now; to be asked a few times a second. */
  tick(): string;
  /** A line of Caret's own. */
  note(text: string): string;
  /** Lines that a person answers below them: no status line disturbs the typing until `answered`. */
  ask(lines: readonly string[]): string;
  answered(): string;
  /** From now on the turn is said to be stopping. */
  stopping(): void;
  /** Takes the status line away. */
  finish(): string;
}

export function createTurnRenderer(options: TurnRendererOptions): TurnRenderer {
  const { columns, colours, isTty, isUtf8, now, sessionId } = options;
  const style = createTerminalStyle(colours);
  const glyphs = chooseGlyphs(isUtf8);
  const printer = new TurnPrinter({ style, glyphs, columns, now, sessionId, isLive: isTty });
  const screen = createScreen({ isTty, columns });
  const createdAt = now();
  let isAsking = false;

  const status = (): string | undefined => {
    if (!isTty || isAsking || printer.hasEnded) return undefined;
    const elapsed = now() - (printer.startedAt ?? createdAt);
    const frame = glyphs.spinner[Math.floor(Math.max(0, elapsed) / SPINNER_MS) % glyphs.spinner.length] ?? "";
    const head = `${frame} ${elapsedText(elapsed)} ${glyphs.separator} `;
    // One column stays free: a full line would wrap, and could not be erased as one.
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
