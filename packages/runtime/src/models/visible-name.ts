/** Characters without width, which Cursor puts into some models' names. */
const invisible = /[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]/g;

/** A name as people see it: two names that look alike are alike. */
export function visibleName(name: string): string {
  return name.replaceAll(invisible, "").replaceAll(/\s+/g, " ").trim();
}
