import { type RefObject, useCallback, useEffect, useRef, useState } from "react";

const NEAR = 32;

interface StickToBottom {
  /** Whether the end is followed. */
  readonly isStuck: boolean;
  readonly jump: () => void;
  /** The end is followed no more, until the reader is there again. */
  readonly release: () => void;
}

/** What a reader moves the list with; a scroll soon after is theirs. */
const handEvents = ["wheel", "touchmove", "pointerdown", "pointermove", "keydown"] as const;
const BY_HAND_MS = 500;

/** Follows the end of a scrolling element while the reader is there, by one write per change of its height. */
export function useStickToBottom(
  scroller: RefObject<HTMLElement | null>,
  content: RefObject<HTMLElement | null>,
): StickToBottom {
  const stuck = useRef(true);
  const [isStuck, setStuck] = useState(true);
  const set = useCallback((next: boolean) => {
    stuck.current = next;
    setStuck(next);
  }, []);

  useEffect(() => {
    const [element, inner] = [scroller.current, content.current];
    if (element === null || inner === null) return;
    let before = positionOf(element);
    const follow = (): void => {
      if (stuck.current) element.scrollTop = element.scrollHeight;
    };
    let handledAt = Number.NEGATIVE_INFINITY;
    const onHand = (event: Event): void => {
      // A pointer that only passes by moves nothing.
      if (event.type !== "pointermove" || (event as PointerEvent).buttons !== 0) handledAt = performance.now();
    };
    const onScroll = (): void => {
      const after = positionOf(element);
      set(staysStuck(stuck.current, before, after, performance.now() - handledAt < BY_HAND_MS));
      before = after;
      if (after.top + after.viewport < after.height) follow();
    };
    const observer = new ResizeObserver(follow);
    observer.observe(inner);
    observer.observe(element);
    element.addEventListener("scroll", onScroll, { passive: true });
    for (const name of handEvents) element.addEventListener(name, onHand, { passive: true });
    follow();
    return () => {
      observer.disconnect();
      element.removeEventListener("scroll", onScroll);
      for (const name of handEvents) element.removeEventListener(name, onHand);
    };
  }, [scroller, content, set]);

  const jump = useCallback(() => {
    set(true);
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [scroller, set]);
  const release = useCallback(() => set(false), [set]);
  return { isStuck, jump, release };
}

function positionOf(element: HTMLElement): ScrollPosition {
  return { top: element.scrollTop, height: element.scrollHeight, viewport: element.clientHeight };
}

/** Where a scrolling element stands. */
interface ScrollPosition {
  readonly top: number;
  readonly height: number;
  readonly viewport: number;
}

function isAtBottom({ top, height, viewport }: ScrollPosition): boolean {
  return height - top - viewport <= NEAR;
}

/**
 * Whether the list still follows its end after a scroll. Only a reader who goes up lets go of it: the same event also
 * comes when content above is measured or more of it arrives, and then the end is followed as before. Measuring also
 * moves the scroll position up a little while the height grows, and then only the reader's input decides which of the two it was.
 */
export function staysStuck(
  isStuck: boolean,
  before: ScrollPosition,
  after: ScrollPosition,
  isByHand: boolean,
): boolean {
  const hasShrunk = after.height < before.height || after.viewport !== before.viewport;
  const hasGrown = after.height > before.height;
  // However little it is: a wheel begins gently, and must not be pulled back before it gets anywhere.
  if (after.top < before.top - 1 && !hasShrunk && (isByHand || !hasGrown)) return false;
  return isStuck || isAtBottom(after);
}
