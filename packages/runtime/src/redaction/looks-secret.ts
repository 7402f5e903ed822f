const MIN_LENGTH = 20;

/** Bits per character. Natural words of this length have about three and a half, and contain no digits. */
const MIN_ENTROPY = 3.3;

/** The characters of generated keys, in any of the usual encodings. */
const keyCharacters = /^[A-Za-z0-9+/=_.~-]+$/;

/** Digests and identifiers look as random as keys but are not secret. */
const digest = /^(?:[0-9a-f]+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** An assigned value with its name. */
interface Assignment {
  /** The full name as far as visible: `GITHUB_TOKEN`, `db.password`. */
  readonly name: string;
  readonly value: string;
  readonly quoted: boolean;
}

const MIN_VALUE_LENGTH = 6;
const MIN_TOKEN_LENGTH = 8;

/** Placeholders for a value: `${TOKEN}`, `<token>`, `****`, `your-api-key`, `null` and the like. */
const placeholder =
  /^(?:[$<{%*#]|\[(?:redacted|secret)\]|\.\.\.|x{3,}|your|example|change.?me|placeholder|dummy|redacted|null|undefined|none|true|false|string|number|boolean|object|process\.env)/i;
/** `user.password`, `self.token`: code that refers to a value. */
const memberChain = /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/;
/** `sha256`, `base64`, `utf8`, `uuid4`: words that contain digits. */
const technicalWord = /^(?:sha|md|base|utf|uuid|u?int|float|aes|rsa|ed|[ehr]s|argon|pbkdf|x|v)[-_]?\d{1,4}$/i;
const environmentName = /^[A-Z][A-Z0-9_]*$/;
/** `SORT_KEY`, `PRIMARY_KEY` and the like: most keys are not credentials. */
const plainKeyName = /(?<!(?:api|access|account|private)[_-]?)key$/i;
const passwordName = /pass(?:word|wd|phrase)$|pwd$|secret$/i;

export function isPlaceholder(value: string): boolean {
  return placeholder.test(value);
}

/**
 * Whether this is a literal secret rather than code or prose that mentions one. A quoted value is a literal; a bare one counts as a secret
 * only if it cannot be an identifier.
 */
export function looksSecret({ name, value, quoted }: Assignment): boolean {
  if (value.length < MIN_VALUE_LENGTH || isPlaceholder(value) || /\s/.test(value)) return false;
  if (plainKeyName.test(name)) return environmentName.test(name) && (looksRandom(value) || isLongHex(value));
  if (quoted) return passwordName.test(name) ? !isLabel(value) : isTokenLike(value);
  return isBareSecret(name, value);
}

function isBareSecret(name: string, value: string): boolean {
  if (memberChain.test(value)) return false;
  if (environmentName.test(name)) return true;
  if (/^\d+$/.test(value)) return passwordName.test(name);
  // Longer than any name, without a separator.
  if (/[A-Za-z0-9+/=]{40}/.test(value)) return true;
  return /\d/.test(value) && !technicalWord.test(value);
}

/** A button's label, an entry in a list of field names, a translation. */
function isLabel(value: string): boolean {
  return /pass(?:word|phrase)|secret/i.test(value);
}

function isLongHex(value: string): boolean {
  return /^[0-9a-f]{32,}$/i.test(value);
}

function isTokenLike(value: string): boolean {
  return value.length >= MIN_TOKEN_LENGTH && /\d/.test(value) && /[A-Za-z]/.test(value);
}

/**
 * Whether only a generator could have produced this: a long unbroken run of many different letters and digits. Words, paths, versions and
 * dates have separators, and the parts in between are short or have no digits.
 */
export function looksRandom(value: string): boolean {
  if (value.length < MIN_LENGTH || !keyCharacters.test(value) || digest.test(value)) return false;
  const runs = value.split(/[^A-Za-z0-9]+/).filter(isGenerated);
  const generated = runs.reduce((sum, run) => sum + run.length, 0);
  return generated >= MIN_LENGTH * 0.8 && generated >= value.length * 0.5 && entropyOf(value) >= MIN_ENTROPY;
}

/** `aB3dE5g`, `9f86d081`: letters and digits mixed, rather than a word followed by a number. */
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
