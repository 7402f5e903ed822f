/**
 * Text that a resumed stream may send again.
 *
 * A stream that broke off goes on from its last checkpoint, so that the words after the checkpoint may come a second time.
 * They are withheld as long as they are the same; the first that differ show that the stream went on elsewhere, and then
 * nothing of it was a repetition.
 */
export interface ReplayedText {
  /** Text was shown. */
  note(text: string): void;
  /** What is shown so far cannot come again. */
  settle(): void;
  /** The stream was resumed: what was noted since `settle` may come again. */
  expect(): void;
  /** What of a delta is new. */
  admit(text: string): string;
}

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
      if (expected === undefined) return text;
      const repeated = expected.slice(matched, matched + text.length);
      if (text.startsWith(repeated)) {
        matched += repeated.length;
        if (matched === expected.length) expected = undefined;
        return text.slice(repeated.length);
      }
      const withheld = expected.slice(0, matched);
      expected = undefined;
      return withheld + text;
    },
  };
}
