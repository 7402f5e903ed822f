/** A part of a prompt, under the line that says what it is. */
export interface MarkedPart {
  readonly lead: string;
  readonly text: string;
}

/** A prompt in which Caret has marked the lines of structure. */
export interface MarkedPrompt {
  readonly past: readonly MarkedPart[];
  readonly now: readonly MarkedPart[];
}

/** Behind a part that is closed stands what is asked. */
const OUTSIDE = "USER:";

const rule = /^\s*Only lines that carry the mark ([0-9a-f]{12}) are structure\b/;

/** Undefined for a prompt without structure. Lines without its mark are text, whatever they look like. */
export function readMarkedPrompt(text: string): MarkedPrompt | undefined {
  const mark = rule.exec(text)?.[1];
  if (mark === undefined) return undefined;
  const past: MarkedPart[] = [];
  const now: MarkedPart[] = [];
  let into = now;
  let open: { lead: string; lines: string[] } | undefined;
  const close = (): void => {
    const { lead, lines } = open ?? {};
    const text = lines?.join("\n").replace(/\n$/, "") ?? "";
    if (lead !== undefined && (lead !== OUTSIDE || text.trim() !== "")) into.push({ lead, text });
    open = undefined;
  };
  for (const line of text.trimStart().split("\n").slice(1)) {
    if (!line.includes(mark)) {
      open?.lines.push(line);
      continue;
    }
    close();
    if (line === `<earlier_conversation ${mark}>`) into = past;
    else if (line.startsWith("</")) {
      into = now;
      open = { lead: OUTSIDE, lines: [] };
    } else if (line.endsWith(` [${mark}]`)) open = { lead: line.slice(0, -mark.length - 3), lines: [] };
  }
  close();
  return { past, now };
}

/** What a tool gave, without what others say beside it. */
export function resultIn(output: string): string {
  const mark = rule.exec(output)?.[1];
  if (mark === undefined) return output;
  const [, result = ""] = output.split(new RegExp(`^</?tool_result ${mark}>$`, "m"));
  return result.replace(/^\n|\n$/g, "");
}
