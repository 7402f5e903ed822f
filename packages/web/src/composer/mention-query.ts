const MAX_QUERY = 200;

/** What is being typed behind an `@`, and where in the text it stands. */
export interface MentionQuery {
  readonly query: string;
  readonly start: number;
  readonly end: number;
}

/** The `@` the caret stands behind, if it begins a word: an address such as `a@b.c` is none. */
export function mentionAt(text: string, caret: number): MentionQuery | undefined {
  const before = text.slice(Math.max(0, caret - MAX_QUERY), caret);
  const query = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(before)?.[1];
  return query === undefined ? undefined : { query, start: caret - query.length - 1, end: caret };
}

/** The text with the path in place of what was typed, and where the caret goes. */
export function insertMention(text: string, { start, end }: MentionQuery, path: string) {
  const inserted = `@${path} `;
  const rest = text.slice(end).replace(/^ /, "");
  return { text: text.slice(0, start) + inserted + rest, caret: start + inserted.length };
}
