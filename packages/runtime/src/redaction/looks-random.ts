const MIN_LENGTH = 20;
/** Bits per character. Words of a language have about three and a half of these at such lengths, and no digits among them. */
const MIN_ENTROPY = 3.3;
/** The characters that generated keys are made of, in any of the usual encodings. */
const keyCharacters = /^[A-Za-z0-9+/=_.~-]+$/;

/** Digests and identifiers are as mixed as keys, and no secret. */
const digest = /^(?:[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/**
 * Could only a generator have written this? A long run of letters and digits without a pause, of many different ones.
 * Words, paths, versions and dates have pauses; what they have between them is short or has no digits.
 */
export function looksRandom(value: string): boolean {
  if (value.length < MIN_LENGTH || !keyCharacters.test(value) || digest.test(value)) return false;
  const runs = value.split(/[^A-Za-z0-9]+/).filter(isGenerated);
  const generated = runs.reduce((sum, run) => sum + run.length, 0);
  return generated >= MIN_LENGTH * 0.8 && generated >= value.length * 0.5 && entropyOf(value) >= MIN_ENTROPY;
}

/** `aB3dE5g`, `9f86d081`: letters and digits mixed, not a word with a number behind it. */
function isGenerated(run: string): boolean {
  return run.length >= 6 && /\d/.test(run) && /[A-Za-z]/.test(run) && !/^[A-Za-z][a-z]*\d{1,4}$/.test(run);
}

function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
