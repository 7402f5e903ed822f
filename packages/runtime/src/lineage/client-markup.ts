/** The names of blocks that are one word, besides all that are several: `system-reminder`, `environment_context`, … */
const PLAIN_NAMES = "context|environment|instructions|reminder|session";
const OPENING = new RegExp(
  `<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|${PLAIN_NAMES})(?:\\s[^<>]*)?>|<<<BEGIN_([a-z0-9_]+)>>>`,
  "gi",
);
/** What clients say before an image that a tool gave. */
const CAPTION =
  /^[ \t]*(?:attached (?:image|file|media)s?(?:\(s\))? from tool results?|\[?(?:the )?tool (?:\S+ )?returned the following (?:attachment|image|file)s?(?:\(s\))?\]?):?[ \t]*$/gim;

/**
 * A user's message without what the client has put into it: reminders, the state of the environment, captions. Clients
 * send those with every request, also beside the results of tools, where nobody has said anything.
 */
export function withoutClientMarkup(text: string): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const match of text.matchAll(OPENING)) {
    const closing = match[2] === undefined ? `</${match[1]}>` : `<<<END_${match[2]}>>>`;
    if (match.index < from || unclosed.has(closing)) continue;
    const end = text.indexOf(closing, match.index);
    if (end === -1) unclosed.add(closing);
    else {
      kept.push(text.slice(from, match.index));
      from = end + closing.length;
    }
  }
  kept.push(text.slice(from));
  return kept.join("").replaceAll(CAPTION, "").trim();
}
