import { clauseRules } from "./clause-rules.ts";
import { splitClauses } from "./clauses.ts";
import type { Intent, Step } from "./intent.ts";
import { pathsIn, shieldPrompt } from "./prompt-text.ts";
import { isOrdered, withoutForbidden } from "./spoken-orders.ts";

/** Only looking around: such intents may run side by side whatever their order. */
const harmless: ReadonlySet<Intent["kind"]> = new Set(["read", "list", "search", "find", "fetch", "web-search"]);

/** What a prompt asks to have done, in order; empty when no tool is needed. */
export function planSteps(prompt: string): readonly Step[] {
  const together = /\b(?:in parallel|at the same time|simultaneously|at once|side by side)\b/i.test(prompt);
  const shielded = shieldPrompt(prompt);
  let lastPath: string | undefined;
  return splitClauses(withoutForbidden(shielded.text)).flatMap((clauses) => {
    const intents = clauses.flatMap((clause) => {
      const text = resolvePronoun(shielded.restore(clause), lastPath);
      lastPath = pathsIn(text)[0] ?? lastPath;
      return toIntents(text);
    });
    return toSteps(intents, together);
  });
}

/** "Create a.txt and read it back": `it` is the file that was spoken of last. */
function resolvePronoun(clause: string, lastPath: string | undefined): string {
  const names = /^(?:please\s+)?(?:read|open|show|cat|print|delete|remove|edit|change|replace|append|add)\b/i;
  if (lastPath === undefined || pathsIn(clause).length > 0 || !names.test(clause)) return clause;
  return clause.replace(/\b(?:it|(?:the|that|this)\s+file)\b/i, lastPath);
}

function toIntents(wholeClause: string): readonly Intent[] {
  if (isTalk(wholeClause)) return [];
  // Which tool is the mind's own affair: "use the read tool to read a.txt" means no more than its end.
  const clause = wholeClause.replace(/^(?:please\s+)?use\s+(?:the|your|a)\s+[\w -]+?\s+tool\s+to\s+/i, "");
  for (const { pattern, toIntents: read } of clauseRules) {
    const match = pattern.exec(clause);
    const intents = match === null ? undefined : read(match, clause);
    if (match !== null && intents !== undefined && isOrdered(intents, clause.slice(0, match.index))) return intents;
  }
  return [];
}

/** Clauses about the answer, not about the workspace. */
function isTalk(clause: string): boolean {
  return (
    /^(?:and\s+)?(?:please\s+)?(?:reply|respond|answer|say|output)\b/i.test(clause) ||
    /\b\d+\s+(?:words|sentences|paragraphs)\b/i.test(clause)
  );
}

function toSteps(intents: readonly Intent[], together: boolean): readonly Step[] {
  if (intents.length === 0) return [];
  if (together || intents.every(({ kind }) => harmless.has(kind))) return [intents];
  return intents.map((intent) => [intent]);
}
