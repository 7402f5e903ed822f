import type { FindingView } from "@caret/protocol";

const marks: Readonly<Record<FindingView["state"], string>> = { ok: "ok  ", warn: "warn", fail: "FAIL" };

/** All findings as text for a bug report. */
export function findingsText(findings: readonly FindingView[], version: string | undefined): string {
  const head = version === undefined ? "Caret" : `Caret ${version}`;
  const lines = findings.flatMap(({ check, state, detail, fix }) => [
    `${marks[state]}  ${check}: ${detail}`,
    ...(fix === undefined ? [] : [`      fix: ${fix}`]),
  ]);
  return [head, ...lines, ""].join("\n");
}

/** `All 9 checks are fine`, `1 failure, 2 warnings`. */
export function findingsVerdict(findings: readonly FindingView[]): string {
  const count = (state: FindingView["state"]): number => findings.filter((finding) => finding.state === state).length;
  const [failures, warnings] = [count("fail"), count("warn")];
  if (findings.length === 0) return "Nothing was checked";
  if (failures + warnings === 0)
    return findings.length === 1 ? "1 check is fine" : `All ${findings.length} checks are fine`;
  const words = [plural(failures, "failure"), plural(warnings, "warning")].filter((word) => !word.startsWith("0 "));
  return words.join(", ");
}

/** What needs a person first. */
export function worstFirst(findings: readonly FindingView[]): readonly FindingView[] {
  const order = { fail: 0, warn: 1, ok: 2 };
  return findings.toSorted((a, b) => order[a.state] - order[b.state]);
}

function plural(count: number, noun: string): string {
  return count === 1 ? `1 ${noun}` : `${count} ${noun}s`;
}
