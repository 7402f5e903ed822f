import {
  appendShown,
  beginSegment,
  isRecap,
  isShorterThanRecap,
  isWholeText,
  markBoundary,
  mayBeRecap,
  missingFromSegment,
  missingFromTurn,
  nothingShown,
  type ShownText,
} from "./shown-text.ts";
import { closeBlock, type Draft, type TurnState, writeText } from "./turn-draft.ts";

/**
 * The text of an agent that may repeat itself.
 *
 * With partial output each delta is sent once and each segment again as a flush. Most flushes are marked; one kind has exactly the fields
 * of a delta. So a delta that equals the whole segment so far is *held* until the next event says what it was: a boundary makes it a recap,
 * anything else real text. After a retry the upstream may also *replay* the segment from its start: matching text is swallowed until it
 * differs or has caught up.
 */
export interface TextState extends TurnState {
  readonly partial: boolean;
  readonly shown: ShownText;
  readonly sawDelta: boolean;
  readonly held: string | undefined;
  readonly replayed: string | undefined;
  /** The last completed segment: some failures look like the assistant's closing words. */
  readonly lastSegment: string;
}

export const initialText = {
  shown: nothingShown,
  sawDelta: false,
  held: undefined,
  replayed: undefined,
  lastSegment: "",
} as const satisfies Partial<TextState>;

type TextDraft = Draft<TextState>;

export function onDelta(draft: TextDraft, text: string): void {
  if (text === "") return;
  releaseHeld(draft);
  draft.sawDelta = true;
  const fresh = draft.replayed === undefined ? text : swallowReplay(draft, text);
  if (fresh === "") return;
  if (isRecap(draft.shown, fresh)) draft.held = fresh;
  else show(draft, fresh);
}

/** Consecutive deltas: those that cannot be recaps, which is nearly all, are shown together. */
export function onDeltas(draft: TextDraft, texts: readonly string[]): void {
  let together = "";
  for (const text of texts) {
    const isCertain = draft.held === undefined && draft.replayed === undefined;
    if (isCertain && !mayBeRecap(draft.shown, text.length, together.length)) together += text;
    else {
      showDeltas(draft, together);
      onDelta(draft, text);
      together = "";
    }
  }
  showDeltas(draft, together);
}

/** Whether deltas continue the open block, with nothing held back or replayed. */
export function isSpeaking({ block, ended, held, replayed, sawDelta }: TextState): boolean {
  return block?.kind === "text" && sawDelta && held === undefined && replayed === undefined && !ended;
}

/**
 * The shown text after several more deltas (joined) of a speaking turn. Undefined if one of them may be a recap: none can be, however they
 * were cut, while their total is shorter than any recap.
 */
export function shownAfter(shown: ShownText, text: string): ShownText | undefined {
  return isShorterThanRecap(shown, text.length) ? appendShown(shown, text) : undefined;
}

/** Precondition: nothing is held back or replayed. */
function showDeltas(draft: TextDraft, text: string): void {
  if (text === "") return;
  draft.sawDelta = true;
  show(draft, text);
}

/** Shows a delta that cannot be a recap at once. */
export function onCertainDelta(draft: TextDraft, text: string): void {
  releaseText(draft);
  if (text === "") return;
  draft.sawDelta = true;
  show(draft, text);
}

/** A segment's whole text: the only copy without partial output, a recap with it. */
export function onFlush(draft: TextDraft, text: string): void {
  if (!draft.partial) {
    if (text !== "") show(draft, text);
    return endSegment(draft);
  }
  resolveAgainst(draft, text);
  const repeatsAll = draft.sawDelta && isWholeText(draft.shown, text);
  if (!isRecap(draft.shown, text) && !repeatsAll) {
    const missing = missingFromSegment(draft.shown, text);
    if (missing !== "") show(draft, missing);
  }
  endSegment(draft);
}

/** A tool starts: everything said before has been flushed, and a held delta was that flush. */
export function onHardBoundary(draft: TextDraft): void {
  dropReplay(draft);
  draft.held = undefined;
  endSegment(draft);
}

/** A query: a held delta was the flush before it; otherwise the text may or may not continue as one segment. */
export function onSoftBoundary(draft: TextDraft): void {
  if (draft.held === undefined) draft.shown = markBoundary(draft.shown);
  else onHardBoundary(draft);
}

/** A retry: a boundary after which the segment may be repeated from its start. */
export function onRetry(draft: TextDraft): void {
  onSoftBoundary(draft);
  if (draft.shown.segment !== "") draft.replayed ??= "";
}

/** Something arrived that no flush precedes: what was held back is real. */
export function releaseText(draft: TextDraft): void {
  releaseHeld(draft);
  dropReplay(draft);
}

/** The turn's whole text, sent once more at its end: it resolves doubts and fills gaps, but never repeats. */
export function onWholeText(draft: TextDraft, text: string): void {
  if (isWholeText(draft.shown, text)) draft.held = undefined;
  releaseText(draft);
  const missing = missingFromTurn(draft.shown, text);
  if (missing !== "") show(draft, missing);
}

function show(draft: TextDraft, text: string): void {
  draft.shown = appendShown(draft.shown, text);
  writeText(draft, text);
}

function endSegment(draft: TextDraft): void {
  if (draft.block?.kind === "text") closeBlock(draft);
  if (draft.shown.segment !== "") draft.lastSegment = draft.shown.segment;
  draft.shown = beginSegment(draft.shown);
}

function releaseHeld(draft: TextDraft): void {
  if (draft.held === undefined) return;
  const text = draft.held;
  draft.held = undefined;
  show(draft, text);
}

/** The new part of `text`, given that the segment may be replaying. */
function swallowReplay(draft: TextDraft, text: string): string {
  const repeated = draft.replayed + text;
  const { segment } = draft.shown;
  if (segment.startsWith(repeated) && repeated !== segment) {
    draft.replayed = repeated;
    return "";
  }
  draft.replayed = undefined;
  return repeated.startsWith(segment) ? repeated.slice(segment.length) : repeated;
}

/** A replay that stopped half-way was not a replay: its text is real. */
function dropReplay(draft: TextDraft): void {
  const { replayed } = draft;
  draft.replayed = undefined;
  if (replayed !== undefined && replayed !== "") show(draft, replayed);
}

/** A marked flush tells whether held text belongs to its segment. */
function resolveAgainst(draft: TextDraft, flush: string): void {
  if (isRecap(draft.shown, flush)) {
    draft.held = undefined;
    draft.replayed = undefined;
  } else releaseText(draft);
}
