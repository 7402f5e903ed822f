/** What a person says about a line of a change. */
export interface ReviewComment {
  readonly path: string;
  /** In the file as it is now; of a line that was removed, as it was. */
  readonly line: number;
  readonly isRemoved: boolean;
  /** The line itself. */
  readonly code: string;
  readonly text: string;
}

export function commentKey({ path, line, isRemoved }: Pick<ReviewComment, "path" | "line" | "isRemoved">): string {
  return `${path}:${isRemoved ? "-" : ""}${line}`;
}

/** The comments as a prompt: where each is, the line, and what is said about it. */
export function toReviewPrompt(comments: readonly ReviewComment[]): string {
  const parts = comments.map(({ path, line, isRemoved, code, text }) =>
    [`${path}:${line}${isRemoved ? " (a line that was removed)" : ""}`, `> ${code.trim()}`, text.trim()].join("\n"),
  );
  const head = comments.length === 1 ? "A comment on your changes:" : "Comments on your changes:";
  return [head, ...parts].join("\n\n");
}

const MOST_SUBJECT = 72;
const MOST_FILES = 20;

/** A commit message to begin with: what the session is about, and which files it changed. */
export function proposedMessage(title: string, paths: readonly string[]): string {
  const subject = title.replaceAll(/\s+/g, " ").trim().slice(0, MOST_SUBJECT).trimEnd() || "Changes by an agent";
  if (paths.length < 2) return subject;
  const listed = paths.slice(0, MOST_FILES).map((path) => `- ${path}`);
  const more = paths.length > MOST_FILES ? [`- and ${paths.length - MOST_FILES} more`] : [];
  return [subject, "", ...listed, ...more].join("\n");
}
