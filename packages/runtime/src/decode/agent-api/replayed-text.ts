/**
 * Detects text that a resumed stream sends again: answer or thinking.
 *
 * A broken stream resumes from its last checkpoint, so text after the checkpoint may come a second time. It is withheld as long as it
 * matches. The first difference shows that none of it was a repetition: either the stream simply continues or, if more matched than chance
 * explains, it says the same in other words. Those start afresh and must not run into the half sentence already shown.
 */
export interface ReplayedText {
  /** Records shown text. */
  note(text: string): void;
  /** Text shown so far cannot come again. */
  settle(): void;
  /** The stream was resumed: text noted since `settle` may come again. */
  expect(): void;
  /** Returns the new part of a delta. */
  admit(text: string): AdmittedText;
}

export interface AdmittedText {
  readonly text: string;
  /** It restarts the shown text in other words. */
  readonly isOther: boolean;
}

/** Shortest match that is not chance. */
const LEAST_REPEATED = 8;

/** Longer text is not compared: better to show a repetition than lose a word. */
const MAX_KEPT = 256 * 1024;

export function createReplayedText(): ReplayedText {
  let shown = "";
  let expected: string | undefined;
  let matched = 0;
  return {
    note(text) {
      shown = shown.length + text.length > MAX_KEPT ? "" : shown + text;
    },
    settle() {
      shown = "";
      expected = undefined;
    },
    expect() {
      expected = shown === "" ? undefined : shown;
      matched = 0;
    },
    admit(text) {
      if (expected === undefined) return { text, isOther: false };
      const repeated = expected.slice(matched, matched + text.length);
      if (text.startsWith(repeated)) {
        matched += repeated.length;
        if (matched === expected.length) expected = undefined;
        return { text: text.slice(repeated.length), isOther: false };
      }
      const withheld = expected.slice(0, matched) + text;
      const isOther = matched + commonLength(repeated, text) >= LEAST_REPEATED;
      expected = undefined;
      return { text: withheld, isOther };
    },
  };
}

function commonLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
