/** A noncharacter of Unicode, which text does not hold; where it does all the same, it is escaped as well. */
const ESCAPE = "\ufdd0";

/** PostgreSQL refuses text with U+0000, which agents do write: as it is kept. */
export function toKept(text: string): string {
  if (!text.includes("\0") && !text.includes(ESCAPE)) return text;
  return text.replaceAll(ESCAPE, `${ESCAPE}1`).replaceAll("\0", `${ESCAPE}0`);
}

export function fromKept(text: string): string {
  if (!text.includes(ESCAPE)) return text;
  return text.replaceAll(`${ESCAPE}0`, "\0").replaceAll(`${ESCAPE}1`, ESCAPE);
}

/** A JSON document whose texts are as they are kept already: the value of a statement, to be taken as it is. */
export function keptJson(value: unknown): object {
  const text = JSON.stringify(value);
  return { toPostgres: () => text };
}
