import { toLiteral } from "../redaction/to-literal.ts";

/** A pattern of texts: `*` stands for anything but a slash, `**` for anything, `?` for one character. */
export interface GlobPattern {
  matches(text: string): boolean;
  /** How much of it is spelled out: the more, the more specific. */
  readonly weight: number;
}

export function createGlobPattern(pattern: string): GlobPattern {
  const parts = pattern.split(/(\*\*\/|\*+|\?)/);
  const expression = new RegExp(`^${parts.map(toExpression).join("")}$`, "s");
  const literals = parts.filter((_, index) => index % 2 === 0).join("").length;
  return { matches: (text) => expression.test(text), weight: literals * 2 + (parts.length === 1 ? 1 : 0) };
}

function toExpression(part: string): string {
  if (part === "**/") return "(?:.*/)?";
  if (part === "?") return "[^/]";
  if (/^\*+$/.test(part)) return part === "*" ? "[^/]*" : ".*";
  return toLiteral(part);
}
