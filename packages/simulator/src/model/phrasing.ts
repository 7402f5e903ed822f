import type { Outcome } from "./follow-steps.ts";
import { resultIn } from "./marked-prompt.ts";
import type { Intent } from "./model.ts";
import { exitCodeOf } from "./result-verdict.ts";

const MAX_QUOTED_CHARACTERS = 4_000;

/** "read `a.txt`", as a part of a sentence. */
export function describeIntent(intent: Intent): string {
  switch (intent.kind) {
    case "read":
    case "write":
    case "edit":
    case "delete":
      return `${intent.kind} \`${intent.path}\``;
    case "list":
      return intent.path === "." ? "list the files" : `list \`${intent.path}\``;
    case "search":
      return `search for "${intent.pattern}"`;
    case "find":
      return `find \`${intent.glob}\``;
    case "run":
      return `run \`${intent.command}\``;
    case "fetch":
      return `fetch ${intent.url}`;
    case "web-search":
      return `search the web for "${intent.query}"`;
    case "ask":
      return "ask you";
    case "delegate":
      return "hand this to a subagent";
    case "call":
      return `call \`${intent.tool}\``;
    case "plan":
      return "make a plan";
  }
}

/** What the model says before it acts. */
export function announce(intents: readonly Intent[], isFirst: boolean): string {
  const wishes = [...new Set(intents.map(describeIntent))];
  const last = wishes.pop() ?? "";
  const list = wishes.length === 0 ? last : `${wishes.join(", ")} and ${last}`;
  return isFirst ? `I'll ${list}.` : `Now I'll ${list}.`;
}

/** What the model says once everything is through. */
export function report(outcomes: readonly Outcome[], prompt: string): string {
  if (wantsBareOutput(prompt) && outcomes.every(({ ok }) => ok)) return outcomes.at(-1)?.output.trim() ?? "";
  const shown = outcomes.filter((outcome, index) => !isStepOfAppend(outcome, outcomes[index + 1]));
  return shown.map((outcome) => (outcome.ok ? success(outcome, prompt) : failure(outcome))).join("\n\n");
}

export function reportFailures(outcomes: readonly Outcome[]): string {
  return outcomes
    .filter(({ ok, intent }) => !ok && intent.kind !== "ask")
    .map(failure)
    .join("\n\n");
}

/** "Only the content", "nothing else": then any word of ours would be one too many. */
export function wantsBareOutput(prompt: string): boolean {
  return (
    /\b(?:only|just|exactly|verbatim)\b[^.]*\b(?:contents?|output|result|text|number)\b/i.test(prompt) ||
    /\b(?:contents?|output|result|text)\b[^.]*\b(?:only|nothing else|verbatim)\b/i.test(prompt)
  );
}

function success({ intent, output }: Outcome, prompt: string): string {
  switch (intent.kind) {
    case "read":
      return describeFile(intent.path, output, prompt);
    case "list":
      return `The files${intent.path === "." ? "" : ` in \`${intent.path}\``}:\n\n${excerpt(output)}`;
    case "search":
      return `I searched for "${intent.pattern}":\n\n${excerpt(output)}`;
    case "find":
      return `Files that match \`${intent.glob}\`:\n\n${excerpt(output)}`;
    case "run":
      return output.trim() === ""
        ? `\`${intent.command}\` printed nothing.`
        : `\`${intent.command}\` printed:\n\n${excerpt(output)}`;
    case "write":
      return `I wrote \`${intent.path}\`.`;
    case "edit":
      return `I changed "${intent.oldText}" to "${intent.newText}" in \`${intent.path}\`.`;
    case "delete":
      return `I deleted \`${intent.path}\`.`;
    case "fetch":
      return `${intent.url} says:\n\n${excerpt(output)}`;
    case "plan":
      return "I made a plan. Shall I carry it out?";
    default:
      return `I could ${describeIntent(intent)}; the answer was:\n\n${excerpt(output)}`;
  }
}

function failure({ intent, output, isTried }: Outcome): string {
  if (intent.kind === "ask") return "Nobody answered my question, so I stop here.";
  if (intent.kind === "run" && isTried && exitCodeOf(output) !== undefined)
    return `\`${intent.command}\` failed:\n\n${excerpt(output.trim())}`;
  return `I could not ${describeIntent(intent)}: ${excerpt(output.trim() || "it failed without a word")}`;
}

const units: ReadonlyArray<readonly [RegExp, string, (text: string) => number]> = [
  [
    /\bhow many lines|\bcount\b.*\blines/i,
    "lines",
    (text) => (text === "" ? 0 : text.replace(/\n$/, "").split("\n").length),
  ],
  [/\bhow many words|\bcount\b.*\bwords/i, "words", (text) => text.split(/\s+/).filter((word) => word !== "").length],
  [/\bhow many (?:characters|letters)|\bcount\b.*\bcharacters/i, "characters", (text) => text.length],
];

function describeFile(path: string, content: string, prompt: string): string {
  const unit = units.find(([pattern]) => pattern.test(prompt));
  if (unit !== undefined) return `\`${path}\` has ${unit[2](content)} ${unit[1]}.`;
  return content.trim() === "" ? `\`${path}\` is empty.` : `\`${path}\` says:\n\n${excerpt(content)}`;
}

/** Reading is only a means where the next thing writes the same file. */
function isStepOfAppend({ intent }: Outcome, next: Outcome | undefined): boolean {
  return intent.kind === "read" && next?.intent.kind === "write" && next.intent.content.from === "appending";
}

function excerpt(text: string): string {
  const trimmed = text.replace(/\s+$/, "");
  if (trimmed.length <= MAX_QUOTED_CHARACTERS) return trimmed;
  return `${trimmed.slice(0, MAX_QUOTED_CHARACTERS)}\n… and ${trimmed.length - MAX_QUOTED_CHARACTERS} more characters.`;
}

/** What a tool gave, without the line numbers, tags and headers that clients decorate it with. */
export function cleanOutput(output: string): string {
  const plain = resultIn(output)
    .replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, "")
    .replace(/^[\s\S]*?\bOutput:\n(?=[\s\S])/, (head) => (/^(?:Chunk ID|Exit code|Wall time)/m.test(head) ? "" : head));
  const tagged = /<(?:file|content|output)>\n?([\s\S]*?)\n?<\/(?:file|content|output)>/.exec(plain)?.[1];
  const body = (tagged ?? plain).replace(/\n*\((?:End of file|Output capped|Showing)[^\n]*\)\s*$/, "");
  return withoutLineNumbers(body);
}

/** Strips numbers only where every line has its own, one after the other. */
function withoutLineNumbers(text: string): string {
  const lines = text.replace(/\n+$/, "").split("\n");
  const parsed = lines.map((line) => /^\s*(\d+)(?:→|\t|\||: ?)\s?(.*)$/.exec(line));
  const first = Number(parsed[0]?.[1]);
  const isNumbered = parsed.every((match, index) => match !== null && Number(match[1]) === first + index);
  if (!isNumbered) return text;
  return parsed
    .map((match, index) => /^\s*\d+(?:→|\t|\| ?|: ?)(.*)$/.exec(lines[index] ?? "")?.[1] ?? match?.[2] ?? "")
    .join("\n");
}
