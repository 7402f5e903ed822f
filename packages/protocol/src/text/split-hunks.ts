/** The hunks of one file's unified diff, each as it is written: every line of one begins with a sign, so that `@@` begins the next. */
export function splitHunks(unified: string): readonly string[] {
  return unified.split(/(?<![^\n])(?=@@ )/).filter((part) => part.startsWith("@@ "));
}
