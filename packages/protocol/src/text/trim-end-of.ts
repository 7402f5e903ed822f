/**
 * Trims a character, or characters that match an expression, off the end of a text. Linear: an expression such as `/\/+$/` restarts at each
 * character of a run, which is quadratic if something follows the run.
 */
export function trimEndOf(text: string, fits: string | RegExp): string {
  const isFitting = (letter: string): boolean => (typeof fits === "string" ? letter === fits : fits.test(letter));
  let end = text.length;
  while (end > 0 && isFitting(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
