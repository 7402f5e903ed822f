import { clauseRules } from "./clause-rules.ts";
import type { Intent, Step } from "./model.ts";
import { pathsIn, shieldPrompt } from "./prompt-text.ts";

/** What changes something: it is done for an order only, never for words that merely mention it. */
const consequential: ReadonlySet<Intent["kind"]> = new Set(["run", "write", "edit", "delete"]);

/** What may stand before the verb of an order. */
const politeLead =
  /^(?:[\s"'(*•>-]|\d+[.)]|please|kindly|now|then|first(?:ly)?|second(?:ly)?|third(?:ly)?|also|and|next|finally|just|again|so|okay|ok|hey|hi|hello|yes|(?:can|could|would|will|must|should) you|(?:i(?:'d| would)? (?:want|like|need) you|you (?:are|have|need)|i want|i need|your (?:task|job) is|try|be sure|make sure|remember|go ahead) (?:to|and)|you (?:should|must|can|may|will)|let'?s|let us|(?:your |the )?(?:task|todo|step \d+)(?=:)|(?:in|inside|within|for|from|using|with|via) [^\s,]+(?: [^\s,]+){0,3}?(?=,|\s+$)|use (?:the |your |a )?[\w-]+(?: tool)? to|[,;:])*$/i;

const sentence = String.raw`(?:[^.!?;\n]|[.!?;](?!\s|$))`;

const forbidding = new RegExp(
  String.raw`(^|[.!?;\n]\s*)(?:[-*]\s+|\d+[.)]\s+)?(?:please\s+)?(?:do not|don't|never|avoid|you (?:must|should|may|shall) (?:not|never)|under no circumstances)\b${sentence}*?(?=,\s*(?:just|but|instead|only|rather)\b|[.!?;](?:\s|$)|\n|$)`,
  "gi",
);

const conditional = new RegExp(
  String.raw`(^|[.!?;\n]\s*)((?:[-*]\s+|\d+[.)]\s+)?(?:if|unless|in case|whenever|when(?!\s+(?:you(?:'re| are)\s+)?(?:done|finished|ready)))\b${sentence}*)`,
  "gi",
);

/** The verbs that begin a new request; `and` before one of them joins requests, elsewhere it joins words. */
const verbs =
  "read|open|show|cat|print|view|list|search|grep|find|look|run|execute|create|write|make|save|put|change|replace|" +
  "rename|edit|append|add|insert|delete|remove|tell|reply|respond|say|answer|fetch|call|use|invoke|think|count|explain|" +
  "summari[sz]e|copy|report|return|give|in\\s+\\S+\\s+(?:change|replace)";

const stepBreak =
  /[,;.]?\s*\b(?:and\s+)?(?:then|after\s+that|afterwards|next|finally|lastly)\b[,:]?\s+|\n+\s*(?:\d+[.)]|[-*])\s+/i;

const clauseBreak = new RegExp(
  `(?:\\s*[,;.\\n]\\s*(?:and\\s+)?|\\s+and\\s+(?:also\\s+)?)(?=(?:please\\s+)?(?:${verbs})\\b)`,
  "i",
);

/** How the requests are to be done, which is no request and names no path. */
const manner = /[,;]?\s*\b(?:all\s+)?(?:in\s+parallel|at\s+the\s+same\s+time|at\s+once|simultaneously)\b/gi;

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

/** A prompt as rows of wishes: rows follow one another, the wishes of a row belong together. */
function splitClauses(prompt: string): readonly (readonly string[])[] {
  return prompt
    .replace(manner, "")
    .replace(/^\s*(?:\d+[.)]|[-*])\s+/, "")
    .split(stepBreak)
    .map((step) => step.split(clauseBreak).flatMap((clause) => (clause.trim() === "" ? [] : [clause.trim()])))
    .map(joinFileClause)
    .filter((step) => step.length > 0);
}

/** "In a.txt, change …" names the file first: it belongs to the clause that follows. */
function joinFileClause(clauses: readonly string[]): readonly string[] {
  const [first, second, ...rest] = clauses;
  if (first === undefined || second === undefined || !/^in\s+\S+$/i.test(first)) return clauses;
  return [`${second} ${first}`, ...rest];
}

/** Whether a clause may mean these intents, given what stands before the verb that they were found by. */
function isOrdered(intents: readonly Intent[], lead: string): boolean {
  return !intents.some(({ kind }) => consequential.has(kind)) || politeLead.test(lead.slice(-200));
}

/** A prompt without what it forbids, and with each of its conditional sentences in one piece: no part of it is an order. */
function withoutForbidden(prompt: string): string {
  return prompt
    .replace(forbidding, "$1")
    .replace(
      conditional,
      (_, before: string, whole: string) => `${before}${whole.replace(/,|\b(?:and|then)\b/gi, " ")}`,
    );
}
