import type { TextRedactor } from "./text-redactor.ts";

/** A text this short is searched with every delta, which takes microseconds: most tokens are recognised as soon as they end. */
const SHORT = 512;
/** A longer text is searched once it has grown by this fraction. */
const GROWTH = 1 / 32;

/**
 * Decides how much of a growing text must be held back.
 *
 * A search reads everything that is held, so searching at every delta would be quadratic. For a long text, these searches read some thirty
 * characters for each that arrives. Until the next search everything is held: the redactor sees one longer delta.
 */
export interface PacedSearch {
  /** Like the redactor's `heldFrom`, for everything held under this name; 0 if no search is due. */
  heldFrom(name: string, text: string, before: string): number;
  /** The text of this name has ended. */
  forget(name: string): void;
}

export function createPacedSearch(redactor: Pick<TextRedactor, "heldFrom">): PacedSearch {
  /** Length held after the last search, by name. */
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
