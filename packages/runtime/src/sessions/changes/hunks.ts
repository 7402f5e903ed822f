/** A part of a file's change, as `@@` begins it. */
export interface Hunk {
  /** Where the new lines begin, from 1; of a hunk without any, the line that they would follow. */
  readonly newStart: number;
  readonly oldText: string;
  readonly newText: string;
}

/** Undefined when it is none. */
export function parseHunk(text: string): Hunk | undefined {
  const [head = "", ...lines] = text.replace(/\n$/, "").split("\n");
  const [, newStart] = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(head) ?? [];
  if (newStart === undefined) return undefined;
  return { newStart: Number(newStart), oldText: sideOf(lines, "-"), newText: sideOf(lines, "+") };
}

/** The lines of one side. A line that is followed by `\` has no end. */
function sideOf(lines: readonly string[], sign: "-" | "+"): string {
  const text = lines.map((line, index) => {
    if (!line.startsWith(sign) && !line.startsWith(" ")) return "";
    return line.slice(1) + (lines[index + 1]?.startsWith("\\") ? "" : "\n");
  });
  return text.join("");
}

/** As the lines are in a file that Git turns into one without carriage returns. Old lines may be in a commit with theirs. */
export function withCarriageReturns({ newStart, oldText, newText }: Hunk): Hunk {
  const ended = (text: string): string => text.replaceAll(/\r?\n/g, "\r\n");
  return { newStart, oldText: ended(oldText), newText: ended(newText) };
}

/** Whether the hunk leaves no line of the file: it is empty, or Git takes it for deleted since it left the index. */
export function isOfNoLines({ newStart, newText }: Hunk): boolean {
  return newStart === 0 && newText === "";
}

/** The text without the hunk's change. Undefined when the hunk's lines do not stand where it says. */
export function withoutHunk(text: string, { newStart, oldText, newText }: Hunk): string | undefined {
  const at = offsetOfLine(text, newText === "" ? newStart + 1 : newStart);
  if (at === undefined || !text.startsWith(newText, at)) return undefined;
  // A part of a longer last line is not the line.
  const end = at + newText.length;
  if (newText !== "" && !newText.endsWith("\n") && end !== text.length) return undefined;
  return text.slice(0, at) + oldText + text.slice(end);
}

function offsetOfLine(text: string, line: number): number | undefined {
  let at = 0;
  for (let number = 1; number < line; number += 1) {
    const end = text.indexOf("\n", at);
    if (end === -1) return number === line - 1 && at === text.length ? at : undefined;
    at = end + 1;
  }
  return at;
}
