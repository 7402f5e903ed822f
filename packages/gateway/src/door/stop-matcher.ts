/** Finds the first of several texts in a text that comes piece by piece. */
export interface StopMatcher {
  /**
   * Takes the next piece. Gives what of the text so far can be shown: all but an end that may be the beginning of a stop
   * sequence, or, when one was found, all that stands before it.
   */
  push(text: string): Matched;
  /** Nothing follows for now: what was held back can be shown after all. */
  flush(): string;
}

export interface Matched {
  readonly text: string;
  /** The sequence that was found. */
  readonly sequence: string | undefined;
}

export function createStopMatcher(sequences: readonly string[]): StopMatcher {
  const longest = Math.max(0, ...sequences.map(({ length }) => length));
  /** The end of the text: enough of it to find a sequence that began before the next piece. */
  let tail = "";
  /** How many characters at the end of `tail` were not shown yet. */
  let held = 0;

  return {
    push(piece) {
      const text = tail + piece;
      const shown = tail.length - held;
      const found = earliest(text, sequences);
      if (found !== undefined) {
        tail = "";
        held = 0;
        return { text: text.slice(shown, Math.max(shown, found.at)), sequence: found.sequence };
      }
      const waiting = Math.min(openEnd(text, sequences), text.length - shown);
      tail = text.slice(Math.max(0, text.length - longest));
      held = waiting;
      return { text: text.slice(shown, text.length - waiting), sequence: undefined };
    },
    flush() {
      const text = tail.slice(tail.length - held);
      held = 0;
      return text;
    },
  };
}

/** The sequence that ends first is the one that stops a model that says one character after the other. */
function earliest(text: string, sequences: readonly string[]): { at: number; sequence: string } | undefined {
  const found = sequences
    .map((sequence) => ({ at: text.indexOf(sequence), sequence }))
    .filter(({ at }) => at !== -1)
    .toSorted((a, b) => a.at + a.sequence.length - (b.at + b.sequence.length) || a.at - b.at);
  return found[0];
}

/** The length of the longest end of a text that a sequence begins with. */
function openEnd(text: string, sequences: readonly string[]): number {
  const lengths = sequences.map((sequence) => {
    let length = Math.min(sequence.length - 1, text.length);
    while (length > 0 && !text.endsWith(sequence.slice(0, length))) length -= 1;
    return length;
  });
  return Math.max(0, ...lengths);
}
