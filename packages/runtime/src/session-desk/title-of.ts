import type { Redactor } from "../redaction/redactor.ts";

const MAX_LENGTH = 80;
/** More of a line is redacted than is kept, so that a secret across the cut is known for one. */
const CUT_MARGIN = 8_192;

/** The first line of a text, as a session's title. */
export function titleOf(text: string, redactor: Redactor): string {
  const [line = ""] = text
    .trimStart()
    .slice(0, MAX_LENGTH + CUT_MARGIN)
    .split(/[\r\n]/, 1);
  return redactor
    .redactText(line)
    .trim()
    .slice(0, MAX_LENGTH)
    .replace(/[\ud800-\udbff]$/, "");
}
