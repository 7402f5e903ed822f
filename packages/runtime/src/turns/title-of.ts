import { firstLine } from "../log/first-line.ts";
import { CUT_MARGIN, type Redactor } from "../redaction/redactor.ts";
import { splitNotes, withoutClientMarkup } from "./client-notes/client-notes.ts";

const MAX_LENGTH = 80;
/** Notes can be long, and the actual prompt comes after them. */
const MAX_READ = 262_144;

/**
 * A session's title: the first line of the prompt, without client notes and without quotes around the whole prompt. A prompt that consists
 * of notes only keeps its first line.
 */
export function titleOf(text: string, redactor: Redactor): string {
  const read = text.slice(0, MAX_READ);
  const spoken = withoutClientMarkup(splitNotes(read).spoken);
  const said = withoutQuotes((spoken === "" ? read : spoken).trim());
  const line = firstLine(said.slice(0, MAX_LENGTH + CUT_MARGIN));
  return redactor
    .redactText(line)
    .trim()
    .slice(0, MAX_LENGTH)
    .replace(/[\ud800-\udbff]$/, "");
}

/** OpenCode quotes what it gets on its command line. */
function withoutQuotes(text: string): string {
  const inner = /^"([\s\S]*)"$/.exec(text)?.[1];
  return inner === undefined || inner.includes('"') ? text : inner.trim();
}
