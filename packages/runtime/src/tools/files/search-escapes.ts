/** Meaning of an escape: a character, a set of characters, or a position in the text. */
export type Escape = { readonly end: number } & (
  | { readonly character: string }
  /** `set`: valid inside a class. `one`: cannot stand in a class, so it goes outside. */
  | { readonly set: string }
  | { readonly one: string }
  /** The form outside of a class. */
  | { readonly as: string }
);

const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}";
const AHEAD = `(?=[${WORD}])`;
const NOT_AHEAD = `(?![${WORD}])`;
const BEHIND = `(?<=[${WORD}])`;
const NOT_BEHIND = `(?<![${WORD}])`;

const sets: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  s: "\\p{White_Space}",
  S: "\\P{White_Space}",
  w: WORD,
};
const NOT_WORD = `[^${WORD}]`;

const places: Readonly<Record<string, string>> = {
  A: "(?<![\\s\\S])",
  z: "(?![\\s\\S])",
  b: `(?:${BEHIND}${NOT_AHEAD}|${NOT_BEHIND}${AHEAD})`,
  B: `(?:${BEHIND}${AHEAD}|${NOT_BEHIND}${NOT_AHEAD})`,
  "<": `${NOT_BEHIND}${AHEAD}`,
  ">": `${BEHIND}${NOT_AHEAD}`,
  "b{start}": `${NOT_BEHIND}${AHEAD}`,
  "b{end}": `${BEHIND}${NOT_AHEAD}`,
  "b{start-half}": NOT_BEHIND,
  "b{end-half}": NOT_AHEAD,
};

const controls: Readonly<Record<string, string>> = { a: "\x07", f: "\f", n: "\n", r: "\r", t: "\t", v: "\v" };

const HEX =
  /x\{([0-9a-f]{1,8})\}|u\{([0-9a-f]{1,8})\}|U\{([0-9a-f]{1,8})\}|x([0-9a-f]{2})|u([0-9a-f]{4})|U([0-9a-f]{8})/iy;
const PROPERTY = /([pP])(?:\{(\^?)([^}]*)\}|(\w))/y;
const PLACE = /b\{[a-z-]+\}|[AzbB<>]/y;
/** Syntax of another engine that ripgrep supports as well. */
const REFERENCE = /[1-9]\d*|k<[^>]+>/y;

/** Reads the escape whose backslash is at `start`; undefined if unknown. */
export function readEscape(text: string, start: number): Escape | undefined {
  const at = start + 1;
  const found = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  const place = found(PLACE);
  if (place !== null) {
    const as = places[place[0]];
    return as === undefined ? undefined : { as, end: at + place[0].length };
  }
  const property = found(PROPERTY);
  if (property !== null) return withEnd(propertySet(property), at + property[0].length);
  const hex = found(HEX);
  if (hex !== null) return withEnd(characterOf(hex), at + hex[0].length);
  const reference = found(REFERENCE);
  if (reference !== null) return { as: `(?:\\${reference[0]})`, end: at + reference[0].length };
  return simple(text, at);
}

function withEnd<Meaning extends object>(meaning: Meaning | undefined, end: number) {
  return meaning === undefined ? undefined : { ...meaning, end };
}

function simple(text: string, at: number): Escape | undefined {
  const code = text.codePointAt(at);
  if (code === undefined) return undefined;
  const character = String.fromCodePoint(code);
  const end = at + character.length;
  const set = Object.hasOwn(sets, character) ? sets[character] : undefined;
  if (set !== undefined) return { set, end };
  if (character === "W") return { one: NOT_WORD, end };
  const control = Object.hasOwn(controls, character) ? controls[character] : undefined;
  if (control !== undefined) return { character: control, end };
  return /[0-9A-Za-z]/.test(character) ? undefined : { character, end };
}

function characterOf(hex: RegExpExecArray): { readonly character: string } | undefined {
  const code = Number.parseInt(hex.slice(1).find((digits) => digits !== undefined) ?? "", 16);
  return code > 0x10_ffff ? undefined : { character: String.fromCodePoint(code) };
}

/** Scripts and categories are named without saying which of the two is meant, in any case. */
function propertySet(property: RegExpExecArray): { readonly set: string } | undefined {
  const [, letter, not, inBraces, short] = property;
  const name = inBraces ?? short ?? "";
  const isNegated = (letter === "P") !== (not === "^");
  const titled = name.replaceAll(/[a-z]+/gi, (word) => word[0]?.toUpperCase() + word.slice(1).toLowerCase());
  const spellings = [name, titled, titled.replaceAll(/[ -]/g, "_")];
  const known = spellings
    .flatMap((spelling) => [spelling, `Script=${spelling}`])
    .find((spelling) => isProperty(spelling));
  return known === undefined ? undefined : { set: `\\${isNegated ? "P" : "p"}{${known}}` };
}

function isProperty(name: string): boolean {
  try {
    new RegExp(`\\p{${name}}`, "u");
    return true;
  } catch {
    return false; // which is what was asked
  }
}

/** A character as a literal, valid inside a class and outside. */
export function literalOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return /^[0-9A-Za-z_]$/.test(character) ? character : `\\u{${code.toString(16)}}`;
}
