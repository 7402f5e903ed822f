import type { TurnWriter } from "../terminal/turn-writer.ts";
import type { TypedLines } from "../terminal/typed-lines.ts";

/** Where pending questions are shown to the person. */
export interface AskSurface {
  /** Shows a card, or its next part, setting earlier typing aside. Resolves when it is on the screen. */
  ask(lines: readonly string[]): unknown;
  /** Sets aside everything typed so far. Resolves when further typing counts. */
  settle(): unknown;
  /** From now on the card can be answered. */
  arm(keys: readonly string[]): unknown;
  /** Tells the person that the line was not an answer to the last question. */
  hint(line: string): unknown;
  /** Handles a whole line typed before the card could be answered: it is set aside as well. */
  early(line: string): unknown;
  answered(): unknown;
}

const EARLY = "  That was typed before this could be read. Type it again, then Enter.";

export function surfaceOf(
  writer: Pick<TurnWriter, "ask" | "answered">,
  typed: Pick<TypedLines, "putAside">,
): AskSurface {
  return {
    ask(lines) {
      void typed.putAside();
      return writer.ask(lines);
    },
    settle: typed.putAside,
    arm: writer.ask,
    hint: (line) => writer.ask([line]),
    early: () => writer.ask([EARLY]),
    answered: writer.answered,
  };
}
