import type { Token } from "marked";

/** Each token with where it begins: what comes later never changes that, so it serves as a key. */
export function withPlaces<Given extends Pick<Token, "raw">>(
  tokens: readonly Given[],
): readonly { readonly place: number; readonly token: Given }[] {
  let place = 0;
  return tokens.map((token) => {
    const placed = { place, token };
    // A token of a line that is empty by nature still takes a place of its own.
    place += Math.max(1, token.raw.length);
    return placed;
  });
}
