/** The verbs that begin a new wish; `and` before one of them joins wishes, elsewhere it joins words. */
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

/** How the wishes are to be done, which is no wish and names no place. */
const manner = /[,;]?\s*\b(?:all\s+)?(?:in\s+parallel|at\s+the\s+same\s+time|at\s+once|simultaneously)\b/gi;

/** A prompt as rows of wishes: rows follow one another, the wishes of a row belong together. */
export function splitClauses(prompt: string): readonly (readonly string[])[] {
  return prompt
    .replace(manner, "")
    .replace(/^\s*(?:\d+[.)]|[-*])\s+/, "")
    .split(stepBreak)
    .map((step) => step.split(clauseBreak).flatMap((clause) => (clause.trim() === "" ? [] : [clause.trim()])))
    .map(joinPlaces)
    .filter((step) => step.length > 0);
}

/** "In a.txt, change …" names the place first: it belongs to the wish that follows. */
function joinPlaces(clauses: readonly string[]): readonly string[] {
  const [first, second, ...rest] = clauses;
  if (first === undefined || second === undefined || !/^in\s+\S+$/i.test(first)) return clauses;
  return [`${second} ${first}`, ...rest];
}
