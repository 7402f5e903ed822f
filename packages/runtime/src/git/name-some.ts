const MOST_NAMED = 20;

/** Names for a sentence: all of them, or the first and how many more there are. */
export function nameSome(names: readonly string[]): string {
  if (names.length <= MOST_NAMED) return names.join(", ");
  return `${names.slice(0, MOST_NAMED).join(", ")} and ${names.length - MOST_NAMED} more`;
}
