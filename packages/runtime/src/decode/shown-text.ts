/**
 * The text a turn has shown, kept to recognise recaps of it.
 *
 * The agent's stream repeats itself: each segment ends with a flush that holds the segment's whole text again, and only order and content
 * tell a flush from new text. `marks` are the positions in the current segment where such a recap can begin: its start, and softer
 * boundaries after it (a retry, a query).
 */
export interface ShownText {
  /** The completed segments. */
  readonly earlier: string;
  readonly segment: string;
  readonly earlierLength: number;
  readonly segmentLength: number;
  readonly marks: readonly number[];
  /** False once the text exceeded the limit: from then on only lengths are compared. */
  readonly isKept: boolean;
  /** Start of the segment, once it is not kept. */
  readonly head: string;
}

/** Few turns say more; beyond this, text must cost no memory, even when many agents flood at once. */
const MAX_KEPT_LENGTH = 256 * 1024;
const MAX_MARKS = 8;
const HEAD_LENGTH = 256;

export const nothingShown: ShownText = {
  earlier: "",
  segment: "",
  earlierLength: 0,
  segmentLength: 0,
  marks: [0],
  isKept: true,
  head: "",
};

export function appendShown(shown: ShownText, text: string): ShownText {
  const segmentLength = shown.segmentLength + text.length;
  if (!shown.isKept || shown.earlierLength + segmentLength > MAX_KEPT_LENGTH)
    return { ...shown, earlier: "", segment: "", segmentLength, isKept: false, head: grownHead(shown, text) };
  return { ...shown, segment: shown.segment + text, segmentLength };
}

function grownHead({ head, segment }: ShownText, text: string): string {
  if (head.length === HEAD_LENGTH) return head;
  return (head + segment.slice(0, HEAD_LENGTH) + text.slice(0, HEAD_LENGTH)).slice(0, HEAD_LENGTH);
}

/**
 * Number of leading characters certainly shown before, for a text with this start: the whole segment, if the text starts like it and too
 * much was shown to compare more. Undefined if only the whole text can tell.
 */
export function recappedLength({ isKept, marks, head, segmentLength }: ShownText, begins: string): number | undefined {
  if (isKept || marks.length > 1 || head.length < HEAD_LENGTH) return undefined;
  return begins.startsWith(head) ? segmentLength : undefined;
}

/** A boundary that may or may not begin a new recap. */
export function markBoundary(shown: ShownText): ShownText {
  if (shown.marks.at(-1) === shown.segmentLength || shown.marks.length >= MAX_MARKS) return shown;
  return { ...shown, marks: [...shown.marks, shown.segmentLength] };
}

/** A boundary that certainly does: a new segment follows. */
export function beginSegment(shown: ShownText): ShownText {
  if (shown.segmentLength === 0) return shown;
  return {
    earlier: shown.earlier + shown.segment,
    segment: "",
    earlierLength: shownLength(shown),
    segmentLength: 0,
    marks: nothingShown.marks,
    isKept: shown.isKept,
    head: "",
  };
}

function shownLength({ earlierLength, segmentLength }: ShownText): number {
  return earlierLength + segmentLength;
}

/** Whether text of this length may be a recap once the segment has grown by `grown`. */
export function mayBeRecap({ segmentLength, marks }: ShownText, length: number, grown: number): boolean {
  for (const mark of marks) if (length === segmentLength + grown - mark) return true;
  return false;
}

/** Whether every recap is longer than this, now and after the segment grows by this length. */
export function isShorterThanRecap({ segmentLength, marks }: ShownText, length: number): boolean {
  for (const mark of marks) if (length >= segmentLength - mark) return false;
  return true;
}

/** Whether `text` is exactly what the segment has shown since one of its marks. An empty stretch has no recap. */
export function isRecap({ segment, segmentLength, marks, isKept }: ShownText, text: string): boolean {
  if (text === "" || !marks.some((mark) => text.length === segmentLength - mark)) return false;
  return !isKept || segment.endsWith(text);
}

export function isWholeText(shown: ShownText, text: string): boolean {
  if (text === "" || text.length !== shownLength(shown)) return false;
  return !shown.isKept || text === shown.earlier + shown.segment;
}

/** The part of a flush the segment has not shown: all of it, if it recaps nothing. */
export function missingFromSegment({ segment, segmentLength, marks, isKept }: ShownText, flush: string): string {
  for (const mark of marks) {
    const length = segmentLength - mark;
    const continues = isKept ? flush.startsWith(segment.slice(mark)) : flush.length >= length;
    if (continues) return flush.slice(length);
  }
  return flush;
}

/** The part of the turn's whole text not shown yet; empty if it does not match what was shown. */
export function missingFromTurn(shown: ShownText, whole: string): string {
  const length = shownLength(shown);
  const continues = shown.isKept ? whole.startsWith(shown.earlier + shown.segment) : false;
  return continues || length === 0 ? whole.slice(length) : "";
}
