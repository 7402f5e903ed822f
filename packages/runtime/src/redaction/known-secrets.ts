import { REDACTED } from "./redacted.ts";
import { secretForms } from "./secret-forms.ts";
import { toLiteral } from "./to-literal.ts";

export interface KnownSecrets {
  /** Every spelling of every secret, longest first. */
  readonly forms: readonly string[];
  redact(text: string): string;
  /** Where a possible beginning of a spelling stands at the end of the text; its length when there is none. */
  heldFrom(text: string): number;
}

export function createKnownSecrets(secrets: readonly string[]): KnownSecrets {
  const forms = [...new Set(secrets.flatMap(secretForms))].sort((one, other) => other.length - one.length);
  const longest = forms[0]?.length ?? 0;
  const byFirst = groupByFirst(forms);
  // An alternative that comes first wins, so the longest spelling is replaced whole.
  const pattern = forms.length === 0 ? undefined : new RegExp(forms.map(toLiteral).join("|"), "g");

  const begins = (text: string): boolean =>
    byFirst.get(text[0] ?? "")?.some((form) => form.length > text.length && form.startsWith(text)) ?? false;

  /** What was found whole is not the beginning of anything, unless it ends the text and a longer spelling has it. */
  function endOfLastFound(text: string): number {
    const last = pattern === undefined ? undefined : [...text.matchAll(pattern)].at(-1);
    if (last === undefined) return 0;
    const end = last.index + last[0].length;
    return end === text.length && begins(last[0]) ? last.index : end;
  }

  return {
    forms,
    redact: (text) => (pattern === undefined ? text : text.replace(pattern, REDACTED)),
    heldFrom(text) {
      if (longest === 0) return text.length;
      let from = Math.max(endOfLastFound(text), text.length - longest + 1);
      while (from < text.length && !begins(text.slice(from))) from += 1;
      return from;
    },
  };
}

function groupByFirst(forms: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const form of forms) {
    const first = form[0] ?? "";
    groups.set(first, [...(groups.get(first) ?? []), form]);
  }
  return groups;
}
