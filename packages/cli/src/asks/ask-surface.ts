import type { TurnWriter } from "../terminal/turn-writer.ts";
import type { TypedLines } from "../terminal/typed-lines.ts";

/** Where what waits is put to the person. */
export interface AskSurface {
  /** Shows a card, or the next part of one. What was typed before is put aside. Resolves when it is on the screen. */
  ask(lines: readonly string[]): unknown;
  /** Puts aside what was typed until now. Resolves when what is typed counts. */
  settle(): unknown;
  /** The card can be answered from now on. */
  arm(keys: readonly string[]): unknown;
  /** What was typed was no answer to what was asked last. */
  hint(line: string): unknown;
  /** A whole line that was typed before the card could be answered: it is put aside as well. */
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
