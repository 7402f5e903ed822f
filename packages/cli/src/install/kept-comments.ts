import { indentAt, lineEnd, type Splice } from "./settings-editor.ts";

/** A comment, or something else of the user's. */
export interface KeptText {
  readonly from: number;
  /** Behind its last character; of one that ends with its line, before the line break. */
  readonly to: number;
}

/** Nothing of ours has comments: those within what is taken out are the user's, and stay on lines of their own. */
export function keepComments(
  text: string,
  splices: readonly Splice[],
  comments: readonly KeptText[],
): readonly Splice[] {
  return splices.map((splice) => {
    const inside = comments.filter(({ from, to }) => from >= splice.from && to <= splice.to);
    const kept = inside
      .toSorted((one, other) => one.from - other.from)
      .filter(({ from, to }) => !splice.text.includes(text.slice(from, to)));
    return kept.length === 0 ? splice : { ...splice, text: splice.text + asLines(text, splice, kept) };
  });
}

function asLines(text: string, { from, to, text: put }: Splice, comments: readonly KeptText[]): string {
  const end = lineEnd(text);
  const lines = comments.map(
    (comment) => indentAt(text, comment.from) + text.slice(comment.from, comment.to).trimEnd(),
  );
  const isWholeLines = put === "" && isLineStart(text, from) && (isLineStart(text, to) || to === text.length);
  if (isWholeLines) return lines.map((line) => line + end).join("");
  // What follows on the line would become a part of the last comment.
  const isAtEnd = /^[ \t]*(?:\r?\n|$)/.test(text.slice(to));
  return lines.map((line) => end + line).join("") + (isAtEnd ? "" : end);
}

function isLineStart(text: string, offset: number): boolean {
  return offset === 0 || text[offset - 1] === "\n";
}
