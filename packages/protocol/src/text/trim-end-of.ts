/**
 * The text without what fits at its end: this character, or characters that the expression fits. It looks at each once, from the
 * end: an expression as `/\/+$/` begins at each character of a run, and reads the square of its length when something stands behind.
 */
export function trimEndOf(text: string, fits: string | RegExp): string {
  const isFitting = (letter: string): boolean => (typeof fits === "string" ? letter === fits : fits.test(letter));
  let end = text.length;
  while (end > 0 && isFitting(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
