import type { TextRedactor } from "./text-redactor.ts";

/** So short a text is searched with every delta, which costs some microseconds: the end of most tokens is seen at once. */
const SHORT = 512;
/** A longer one is searched when it has grown by this part of itself. */
const GROWTH = 1 / 32;

/**
 * Says of texts that grow what of them has to be held back.
 *
 * A search reads all that is held, so with one for every delta the time would grow with the square of it. Of a long text these
 * searches read some thirty characters for each that arrives. Until the next one everything is held: the redactor sees a longer delta.
 */
export interface PacedSearch {
  /** As `heldFrom` of the redactor, for all that is held of the text of this name and what follows; 0 when no search is due. */
  heldFrom(name: string, text: string, before: string): number;
  /** The text of this name is at its end. */
  forget(name: string): void;
}

export function createPacedSearch(redactor: Pick<TextRedactor, "heldFrom">): PacedSearch {
  /** How much the last search left of each. */
  const left = new Map<string, number>();
  return {
    heldFrom(name, text, before) {
      if (text.length > SHORT && text.length < (left.get(name) ?? 0) * (1 + GROWTH)) return 0;
      const from = redactor.heldFrom(text, before);
      left.set(name, text.length - from);
      return from;
    },
    forget(name) {
      left.delete(name);
    },
  };
}
