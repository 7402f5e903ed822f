/** `</name>`, and OpenClaw's `<<<END_NAME>>>`. */
const CLOSING = /<\/[a-z][\w.-]*>|<<<END_\w+>>>/gi;

/** Where the closing tags of a text stand. */
export interface ClosingTags {
  /** The first of these from here on; undefined when there is none. Asked from the beginning of the text to its end. */
  next(closing: string, from: number): number | undefined;
}

/**
 * Finds all closing tags of a text in one pass, when the first is asked for: a search from each opening tag would take the
 * square of their number.
 */
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
