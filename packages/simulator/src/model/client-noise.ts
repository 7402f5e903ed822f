/** Tags in which clients put what the person typed: the words inside count, and nothing around them does. */
const typedIn = /<(user_query|user_input|user_message|user_request|task)\b[^>]*>([\s\S]*?)<\/\1>/i;

/** A block in tags of several words (`<system-reminder>`), of a known name, or in OpenClaw's brackets. Each begins a line. */
const opening =
  /^[ \t]*(?:<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|env|environment|context|timestamp|session|reminder)\b[^<>\n]*>|<<<BEGIN_(\w+)>>>)/gim;

/** What a person typed, without what a client's program has put around and beside it. */
export function withoutNoise(text: string): string {
  const typed = typedIn.exec(text)?.[2];
  return typed?.trim() ?? withoutBlocks(text).trim();
}

function withoutBlocks(text: string): string {
  const kept: string[] = [];
  const unclosed = new Set<string>();
  let from = 0;
  for (const match of text.matchAll(opening)) {
    const closing = match[2] === undefined ? `</${match[1]}>` : `<<<END_${match[2]}>>>`;
    if (match.index < from || unclosed.has(closing)) continue;
    const end = text.indexOf(closing, match.index);
    if (end === -1) unclosed.add(closing);
    else {
      kept.push(text.slice(from, match.index));
      from = end + closing.length;
    }
  }
  return [...kept, text.slice(from)].join("");
}
