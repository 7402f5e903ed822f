/** Where a scrolling element stands. */
export interface ScrollPlace {
  readonly top: number;
  readonly height: number;
  readonly viewport: number;
}

const NEAR = 32;

function isAtBottom({ top, height, viewport }: ScrollPlace): boolean {
  return height - top - viewport <= NEAR;
}

/**
 * Whether the list still follows its end after a scroll. Only a reader who goes up lets go of it: the same event also
 * comes when content above is measured or more of it arrives, and then the end is followed as before. Measuring also
 * moves the place up a little while the height grows, and then only the reader's hand tells which of the two it was.
 */
export function staysStuck(isStuck: boolean, before: ScrollPlace, after: ScrollPlace, isByHand: boolean): boolean {
  const hasShrunk = after.height < before.height || after.viewport !== before.viewport;
  const hasGrown = after.height > before.height;
  // However little it is: a wheel begins gently, and must not be pulled back before it gets anywhere.
  if (after.top < before.top - 1 && !hasShrunk && (isByHand || !hasGrown)) return false;
  return isStuck || isAtBottom(after);
}
