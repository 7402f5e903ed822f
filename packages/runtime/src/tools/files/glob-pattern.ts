import { CaretError } from "@caret/protocol";

const MAX_LENGTH = 1_000;
const MAX_ALTERNATIVES = 256;

/** Matches paths with slashes, relative to where the search began. */
export type GlobMatcher = (path: string) => boolean;

/**
 * The usual patterns: `*` and `?` within a name, `**` across directories, `[a-z]`, `{ts,tsx}`. A pattern without a slash matches names at
 * any depth, as people expect of `*.ts`.
 *
 * Matched by hand, because a regular expression with many stars can take forever.
 */
export function compileGlob(pattern: string): GlobMatcher {
  if (pattern.length > MAX_LENGTH) throw new CaretError("invalid-request", "The pattern is too long");
  const anchored = pattern.includes("/") ? pattern.replace(/^\.?\//, "") : `**/${pattern}`;
  const alternatives = expandBraces(anchored).map((alternative) =>
    alternative.split("/").filter(Boolean).map(toSegment),
  );
  return (path) => {
    const names = path.split("/");
    return alternatives.some((segments) => matchesSegments(segments, names));
  };
}

/** Innermost group first, so the remaining groups are never nested. */
function expandBraces(pattern: string): readonly string[] {
  let patterns = [pattern];
  for (;;) {
    const next = patterns.flatMap((text) => {
      const group = /\{([^{},]*,[^{}]*)\}/.exec(text);
      if (group === null) return [text];
      const [before, after] = [text.slice(0, group.index), text.slice(group.index + group[0].length)];
      return (group[1] ?? "").split(",").map((choice) => `${before}${choice}${after}`);
    });
    if (next.length > MAX_ALTERNATIVES)
      throw new CaretError("invalid-request", "The pattern has too many alternatives");
    if (next.length === patterns.length && next.every((text, index) => text === patterns[index])) return next;
    patterns = next;
  }
}

/** Tokens to match a name against; undefined for `**`. */
type Segment = readonly string[] | undefined;

function toSegment(text: string): Segment {
  return text === "**" ? undefined : (text.match(/\[[!^]?[^\]]+\]|./gsu) ?? []);
}

/** Row by row: `reachable[n]` is whether the segments so far can consume the first n names. */
function matchesSegments(segments: readonly Segment[], names: readonly string[]): boolean {
  let reachable = [true, ...names.map(() => false)];
  for (const segment of segments) {
    let isOpen = false;
    reachable = reachable.map((wasReachable, index) => {
      isOpen ||= wasReachable;
      if (segment === undefined) return isOpen;
      return index > 0 && reachable[index - 1] === true && matchesName(segment, names[index - 1] ?? "");
    });
  }
  return reachable.at(-1) === true;
}

/** Needs only one backtrack position: a later star settles the earlier ones. */
function matchesName(tokens: readonly string[], name: string): boolean {
  const letters = [...name];
  let [at, token] = [0, 0];
  let [starToken, starAt] = [-1, 0];
  while (at < letters.length) {
    if (tokens[token] === "*") {
      starToken = token;
      starAt = at;
      token += 1;
    } else if (token < tokens.length && matchesLetter(tokens[token] ?? "", letters[at] ?? "")) {
      at += 1;
      token += 1;
    } else if (starToken === -1) return false;
    else {
      starAt += 1;
      at = starAt;
      token = starToken + 1;
    }
  }
  return tokens.slice(token).every((rest) => rest === "*");
}

function matchesLetter(token: string, letter: string): boolean {
  if (token === "?") return true;
  if (token.length < 3 || !token.startsWith("[")) return token === letter;
  const isNegated = token[1] === "!" || token[1] === "^";
  const ranges = token.slice(isNegated ? 2 : 1, -1).matchAll(/(.)-(.)|(.)/gsu);
  const isListed = [...ranges].some(([, from, to, single]) =>
    single === undefined ? letter >= (from ?? "") && letter <= (to ?? "") : letter === single,
  );
  return isListed !== isNegated;
}
