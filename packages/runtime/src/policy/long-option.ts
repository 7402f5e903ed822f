/**
 * Whether a word gives one of these options, possibly abbreviated: GNU's programs, git and npm accept every unambiguous prefix. `others`
 * are full names of options that do something else.
 */
export function mayGiveOption(word: string, names: readonly string[], others: readonly string[] = []): boolean {
  const given = /^--([^=]+)/.exec(word)?.[1];
  return given !== undefined && !others.includes(given) && names.some((name) => name.startsWith(given));
}
