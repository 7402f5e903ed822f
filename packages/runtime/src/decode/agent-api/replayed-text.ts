/**
 * Text that a resumed stream may send again: words, or thinking.
 *
 * A stream that broke off goes on from its last checkpoint, so that the words after the checkpoint may come a second time.
 * They are withheld as long as they are the same. The first that differ show that none of them was a repetition: either the
 * stream goes on behind what was shown, or, where it had repeated more than chance does, it says the same in other words.
 * Those begin again, and must not run into the half sentence that was shown.
 */
export interface ReplayedText {
  /** Text was shown. */
  note(text: string): void;
  /** What is shown so far cannot come again. */
  settle(): void;
  /** The stream was resumed: what was noted since `settle` may come again. */
  expect(): void;
  /** What of a delta is new. */
  admit(text: string): AdmittedText;
}

export interface AdmittedText {
  readonly text: string;
  /** It begins what was shown again, in other words. */
  readonly isOther: boolean;
}

/** So many characters are not the same by chance. */
const LEAST_REPEATED = 8;

/** What is longer is not compared: a repetition is then shown rather than a word lost. */
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
