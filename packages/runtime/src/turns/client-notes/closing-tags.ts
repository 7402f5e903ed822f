/** `</name>`, and OpenClaw's `<<<END_NAME>>>`. */
const CLOSING = /<\/[a-z][\w.-]*>|<<<END_\w+>>>/gi;

/** Index of a text's closing tags. */
export interface ClosingTags {
  /** The first such tag at or after `from`; undefined if none. `from` must not decrease between calls. */
  next(closing: string, from: number): number | undefined;
}

/** Indexes all closing tags in one pass, on first use: searching from each opening tag would be quadratic. */
export function closingTagsOf(text: string): ClosingTags {
  let found: Map<string, { readonly places: number[]; passed: number }> | undefined;
  return {
    next(closing, from) {
      found ??= placesOf(text);
      const tags = found.get(closing);
      if (tags === undefined) return undefined;
      while ((tags.places[tags.passed] ?? from) < from) tags.passed += 1;
      return tags.places[tags.passed];
    },
  };
}

function placesOf(text: string): Map<string, { readonly places: number[]; passed: number }> {
  const found = new Map<string, { readonly places: number[]; passed: number }>();
  for (const { 0: closing, index } of text.matchAll(CLOSING)) {
    const tags = found.get(closing);
    if (tags === undefined) found.set(closing, { places: [index], passed: 0 });
    else tags.places.push(index);
  }
  return found;
}
