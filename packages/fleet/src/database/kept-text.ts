/** A Unicode noncharacter, which does not occur in normal text; if it does, it is escaped too. */
const ESCAPE = "\ufdd0";

/** Escapes U+0000, which agents do write and PostgreSQL rejects. */
export function toKept(text: string): string {
  if (!text.includes("\0") && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll("\0", `${ESCAPE}0`);
}

export function fromKept(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, "\0").replaceAll(`${ESCAPE}1`, ESCAPE);
}

/** A statement value: JSON whose strings were already escaped by `toKept`, passed to PostgreSQL verbatim. */
export function keptJson(value: unknown): object {
  const text = JSON.stringify(value);
  return { toPostgres: () => text };
}
