/**
 * Splits one file's unified diff into its hunks, verbatim. Every line within a hunk starts with a sign, so a line starting with `@@` begins
 * the next.
 */
export function splitHunks(unified: string): readonly string[] {
  return unified.split(/(?<![^\n])(?=@@ )/).filter((part) => part.startsWith("@@ "));
}
