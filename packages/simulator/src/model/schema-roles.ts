import type { SchemaProperty } from "./schema-properties.ts";
import { wordsOf } from "./words-of.ts";

/** What an argument is for, whatever its author called it. */
export type Role =
  | "path"
  | "directory"
  | "content"
  | "command"
  | "oldText"
  | "newText"
  | "pattern"
  | "glob"
  | "url"
  | "patch"
  | "note";

export interface PropertyRoles {
  /** The likeliest first. */
  readonly roles: readonly Role[];
  /** The property's own name says it; otherwise it is read out of a description or a vague word. */
  readonly isSure: boolean;
}

const list = (words: string): readonly string[] => words.split(" ");

/** A word can serve several purposes: `path` is a file here and a directory there. */
const roleWords: ReadonlyArray<readonly [Role, readonly string[]]> = [
  [
    "path",
    list("file path filename pathname document doc notebook dest destination location loc target source src uri fname"),
  ],
  ["directory", list("dir directory folder root cwd path haystack base workdir scope location")],
  ["content", list("content contents text body data payload bytes blob")],
  ["command", list("command cmd script shell exec argv bash program invocation")],
  ["oldText", list("old search find before original from previous existing match target")],
  ["newText", list("new replace replacement after with to updated")],
  ["glob", list("glob mask wildcard")],
  [
    "pattern",
    list(
      "pattern query regex regexp needle term search keyword q expression phrase find substring what glob mask wildcard",
    ),
  ],
  ["url", list("url uri href link address")],
  ["patch", list("patch diff input")],
  ["note", list("description explanation reason justification rationale purpose summary comment why")],
];

/** Words that say little: the description decides first. */
const vague: ReadonlySet<string> = new Set(
  list("target source src uri from to with what input location scope base match data address resource"),
);

/** Words that leave it to the word before them: `file_name`, `old_string`, `command_line`. */
const neutral: ReadonlySet<string> = new Set(
  list("string str name value arg argument param parameter line relative absolute full workspace rel abs the"),
);

/** In the order in which they are asked: what is particular before what is general. */
const descriptionRoles: ReadonlyArray<readonly [Role, RegExp]> = [
  ["note", /\b(?:why|reason|explain\w*|purpose)\b/i],
  ["url", /\burls?\b|https?:|\bweb (?:page|site|address)/i],
  ["command", /\b(?:command|shell|terminal)\b/i],
  ["newText", /\breplacement\b|\b(?:replace|put|insert)\w*\b.*\b(?:with|instead)\b|\bnew (?:text|string|content)/i],
  ["oldText", /\bto (?:be )?(?:replaced?|changed?)\b|\b(?:old|existing|original) (?:text|string|content)/i],
  ["glob", /\bglob\b|\bwildcard/i],
  ["pattern", /\b(?:pattern|regex\w*|regular expression|search (?:for|term)|look\w* for|quer(?:y|ies)|to find)\b/i],
  ["content", /\b(?:contents?|text|data|bytes|words)\b|\bwhat (?:to|shall|should)\b.*\b(?:write|store|save|put)/i],
  ["directory", /\b(?:director(?:y|ies)|folder)\b/i],
  ["path", /\b(?:files?|paths?|document|location)\b|\bwhere\b/i],
];

export function rolesOf({ name, description }: Pick<SchemaProperty, "name" | "description">): PropertyRoles {
  const words = wordsOf(name, isKnown).map(singular);
  const named = namedRoles(words);
  const described = descriptionRoles.filter(([, pattern]) => pattern.test(description)).map(([role]) => role);
  const isSure = named.length > 0 && !words.every((word) => vague.has(word) || neutral.has(word));
  if (isSure) return { roles: named, isSure };
  return { roles: [...new Set([...described, ...named])], isSure };
}

/** English puts what a thing is at the end: a `search_path` is a path, a `file_type` is neither file nor path. */
function namedRoles(words: readonly string[]): readonly Role[] {
  const head = words.at(-1);
  if (head === undefined || !isKnown(head)) return [];
  const byWord = words.toReversed().flatMap((word) => roleWords.filter(([, all]) => all.includes(word)));
  return [...new Set(byWord.map(([role]) => role))];
}

function isKnown(word: string): boolean {
  return neutral.has(word) || roleWords.some(([, all]) => all.includes(word) || all.includes(singular(word)));
}

function singular(word: string): string {
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}
