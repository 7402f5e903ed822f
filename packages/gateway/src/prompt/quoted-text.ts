import { createHash } from "node:crypto";

const MARK_LENGTH = 12;

export interface QuoteTags {
  readonly open: string;
  readonly close: string;
}

/**
 * The tags around a quoted text. The text cannot close them: if it contains such a closing tag, both tags get a mark that occurs nowhere in
 * it. The mark is a digest, so the same text has the same tags in each request.
 */
export function quoteTags(
  name: string,
  fields: Readonly<Record<string, string | undefined>>,
  texts: readonly string[],
): QuoteTags {
  const written = Object.entries(fields).flatMap(([key, value]) => (value ? [` ${key}=${JSON.stringify(value)}`] : []));
  const open = `${name}${written.join("")}`;
  const inside = [open, ...texts];
  const ending = new RegExp(`<\\s*/\\s*${name}`, "i");
  if (!inside.some((text) => ending.test(text))) return { open: `<${open}>`, close: `</${name}>` };
  const mark = ` mark="${markOf(inside)}"`;
  return { open: `<${name}${mark}${written.join("")}>`, close: `</${name}${mark}>` };
}

export function quotedText(name: string, fields: Readonly<Record<string, string | undefined>>, text: string): string {
  const { open, close } = quoteTags(name, fields, [text]);
  return `${open}\n${text}\n${close}`;
}

function markOf(texts: readonly string[]): string {
  for (let attempt = 0; ; attempt += 1) {
    const hash = createHash("sha256").update(String(attempt));
    for (const text of texts) hash.update(`${text.length} `).update(text);
    const mark = hash.digest("hex").slice(0, MARK_LENGTH);
    if (!texts.some((text) => text.includes(mark))) return mark;
  }
}
