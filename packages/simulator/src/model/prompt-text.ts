import { type MarkedPrompt, readMarkedPrompt } from "./marked-prompt.ts";

/** Tags in which clients put what the person typed: the words inside count, and nothing around them does. */
const typedIn = /<(user_query|user_input|user_message|user_request|task)\b[^>]*>([\s\S]*?)<\/\1>/i;

/** A block in tags of several words (`<system-reminder>`), of a known name, or in OpenClaw's brackets. Each begins a line. */
const block =
  /^[ \t]*(?:<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|env|environment|context|timestamp|session|reminder)\b[^<>\n]*>[\s\S]*?<\/\1>|<<<BEGIN_(\w+)>>>[\s\S]*?<<<END_\2>>>)/gim;

/** The time before a message, in brackets: `[Tue 2026-11-17 09:26 UTC] `. */
const stamp = /^\s*\[[^\]\n]*\d{4}-\d\d-\d\d[^\]\n]*\][ \t]*/;

/** A line in which a program describes itself: `Runtime: agent=main | host=vm | …`. */
const settingsLine = /^[A-Z][\w ]*:(?: [\w-]+=[^|\n]*\|)+[^\n]*$/gm;

/** The history of another agent, sent with the first prompt. It may be nested. */
const past = /<earlier_conversation>([\s\S]*)<\/earlier_conversation>/;

/** A client's system prompt that could be given in no other way. */
const instructions = /^\s*<instructions>[\s\S]*?<\/instructions>/;

/** What the person said in a past that came with a prompt, oldest first. */
export function promptsBefore(text: string): readonly string[] {
  const marked = readMarkedPrompt(text);
  if (marked !== undefined) return promptsIn(marked);
  const history = past.exec(text)?.[1] ?? "";
  const parts = history.split(/\n\n(?=(?:USER|ASSISTANT):\n|TOOL_(?:CALL|RESULT) \()/);
  return parts
    .flatMap((part) => /^\s*USER:\n([\s\S]*)$/.exec(part)?.[1] ?? [])
    .flatMap((said) => unquoted(withoutNoise(said)) || []);
}

function promptsIn({ past, now }: MarkedPrompt): readonly string[] {
  const before = past.flatMap(({ lead, text }) => (lead === USER ? [...promptsBefore(text), promptText(text)] : []));
  const nested = now.flatMap(({ lead, text }) => (lead === USER ? promptsBefore(text) : []));
  return [...before, ...nested].filter((said) => said !== "");
}

const USER = "USER:";

/** What the person typed, without the wrapping of agents and clients. */
export function promptText(text: string): string {
  const marked = readMarkedPrompt(text);
  if (marked !== undefined) return textOfNow(marked);
  const bare = withoutNoise(text.replace(past, "").replace(instructions, ""));
  return shorten(unquoted(bare));
}

/** Results come with their leads, as they do where nothing is marked. */
function textOfNow({ now }: MarkedPrompt): string {
  if (now.some(({ lead }) => lead.startsWith("TOOL_RESULT ")))
    return shorten(withoutNoise(now.map(({ lead, text }) => (lead === USER ? text : `${lead}\n${text}`)).join("\n\n")));
  return promptText(now.flatMap(({ lead, text }) => (lead === USER ? [text] : [])).join("\n\n"));
}

/** Some clients put a whole prompt in quotes. Quotes inside of it open where the first of them does not close those. */
function unquoted(prompt: string): string {
  const quoted = /^"([\s\S]*)"$/.exec(prompt)?.[1];
  if (quoted === undefined || (quoted.includes('"') && !/^[^"]*[\s{[(:,=\\]"/.test(quoted))) return prompt;
  return quoted.replaceAll('\\"', '"').trim();
}

/** Rules look at every word many times, and what a prompt of megabytes wants stands at its start or at its end. */
const KEPT_AT_START = 8_000;
const KEPT_AT_END = 2_000;

function shorten(prompt: string): string {
  if (prompt.length <= KEPT_AT_START + KEPT_AT_END) return prompt;
  return `${prompt.slice(0, KEPT_AT_START)}\n${prompt.slice(-KEPT_AT_END)}`;
}

/** Quoted and JSON parts of a prompt, taken out so that no rule stumbles over the words inside them. */
interface ShieldedPrompt {
  readonly text: string;
  /** Puts the parts back, quotes included. */
  readonly restore: (text: string) => string;
}

const shieldable = /```[\s\S]*?```|`[^`\n]*`|\{(?:[^{}]|\{[^{}]*\})*\}|"[^"\n]*"|(?<![\w])'[^'\n]*'(?!\w)/g;

export function shieldPrompt(prompt: string): ShieldedPrompt {
  const parts: string[] = [];
  const text = prompt.replace(shieldable, (part) => {
    parts.push(part);
    return `⟦${parts.length - 1}⟧`;
  });
  return { text, restore: (shielded) => shielded.replace(/⟦(\d+)⟧/g, (_, index) => parts[Number(index)] ?? "") };
}

/** A piece of a prompt as its author meant it: without the quotes around it or the full stop after it. */
export function plainText(piece: string): string {
  const trimmed = piece.trim();
  const fenced = /^```\w*\n([\s\S]*?)\n?```\.?$/.exec(trimmed)?.[1];
  if (fenced !== undefined) return fenced;
  const quoted = /^([`"'])([\s\S]*)\1[.,;!?]*$/.exec(trimmed)?.[2];
  return quoted ?? trimmed.replace(/[.,;!?]+$/, "");
}

const pathPattern =
  /(?:[~.]{0,2}\/)?[\w@.+-]*(?:\/[\w@.+-]+)*\.[a-zA-Z]\w{0,7}\b|(?:[~.]{0,2}\/)[\w@./+-]*\w|\b(?:[\w-]+\/)+[\w.-]+|\b(?:README|LICENSE|Makefile|Dockerfile|AGENTS)\b/g;

/** Everything in a clause that looks like a path, in order, each once. */
export function pathsIn(clause: string): readonly string[] {
  const bare = clause.replace(/https?:\/\/\S+/g, " ").replace(/[`"']/g, " ");
  const found = bare.match(pathPattern) ?? [];
  return [...new Set(found)].filter((path) => !/^(?:e\.g|i\.e)$/i.test(path));
}

/** What a person typed, without what a client's program has put around and beside it. */
function withoutNoise(text: string): string {
  const typed = typedIn.exec(text)?.[2];
  return typed?.trim() ?? text.replaceAll(block, "").replaceAll(settingsLine, "").replace(stamp, "").trim();
}
