export interface TokenPattern {
  /** One of these stands in every text the pattern matches: looking for them first is much quicker. */
  readonly beginnings: readonly string[];
  readonly pattern: RegExp;
}

/**
 * Things that are a secret by their own looks. Each has a bounded length, so that no input takes quadratic time, and
 * asks for digits or mixed letters where a word of prose or a CSS class could look the same.
 */
export const tokenPatterns: readonly TokenPattern[] = [
  {
    beginnings: ["PRIVATE KEY"],
    pattern: /-----BEGIN ([A-Z0-9 ]{0,30})PRIVATE KEY( BLOCK)?-----[\s\S]{1,20000}?-----END \1PRIVATE KEY\2-----/g,
  },
  {
    // The end is missing when a text was cut.
    beginnings: ["PRIVATE KEY"],
    pattern: /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:\\+[nr]|[A-Za-z0-9+/=\s]){40,20000}/g,
  },
  {
    beginnings: ["sk-"],
    pattern: /(?<![A-Za-z0-9])sk-(?=[\w-]{0,512}\d)(?=[\w-]{0,512}[A-Z]|[\w-]{0,512}?[a-z0-9]{20})[\w-]{16,512}/g,
  },
  {
    beginnings: ["key_", "crsr_"],
    pattern: /(?<![A-Za-z0-9])(?:key|crsr)_(?=[A-Za-z0-9]{0,256}\d)[A-Za-z0-9]{20,256}/g,
  },
  { beginnings: ["eyJ"], pattern: /(?<![A-Za-z0-9_])eyJ[\w-]{10,4096}\.[\w-]{10,4096}\.[\w-]{10,4096}/g },
  { beginnings: ["AKIA", "ASIA"], pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  {
    beginnings: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
    pattern: /(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{36,255}/g,
  },
  { beginnings: ["github_pat_"], pattern: /(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{22,255}/g },
  { beginnings: ["glpat-"], pattern: /(?<![A-Za-z0-9])glpat-[\w-]{20,255}/g },
  { beginnings: ["npm_"], pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36,255}/g },
  { beginnings: ["xox"], pattern: /(?<![A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{20,255}/g },
  { beginnings: ["AIza"], pattern: /(?<![A-Za-z0-9])AIza[\w-]{35}(?![\w-])/g },
];

/** A token of the patterns above whose end has not arrived yet. */
export const unfinishedToken =
  /(?<![A-Za-z0-9])(?:sk-|(?:key|crsr)_|eyJ|gh[pousr]_|github_pat_|glpat-|npm_|xox[abeprs]-|AIza|AKIA|ASIA)[\w.-]{0,4096}$/;
