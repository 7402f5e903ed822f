/** No row of a list shows more. */
const MAX_SHOWN = 1_000;

/** A line of Markdown without its marks, for where it is only a line: backticks stay, which `Words` shows as code. */
export function plainLine(line: string): string {
  return line
    .slice(0, MAX_SHOWN)
    .replace(/^\s*(?:#{1,6}|[-*+]|\d+[.)]|>)\s+/, "")
    .replace(/!?\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/(\*\*|~~)(?=\S)(.+?)(?<=\S)\1/g, "$2")
    .replace(/(^|[^\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])/g, "$1$2");
}
