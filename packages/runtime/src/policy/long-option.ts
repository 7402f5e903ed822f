/**
 * Whether a word gives one of these options, under any beginning of its name: GNU's programs, git's and npm's take every
 * beginning that is not ambiguous. `others` are whole names of options that do something else.
 */
export function mayGiveOption(word: string, names: readonly string[], others: readonly string[] = []): boolean {
  const given = /^--([^=]+)/.exec(word)?.[1];
  return given !== undefined && !others.includes(given) && names.some((name) => name.startsWith(given));
}
