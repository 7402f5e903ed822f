import { arithmetic } from "./arithmetic.ts";
import { longText } from "./long-text.ts";
import { plainText } from "./prompt-text.ts";

export interface TalkContext {
  /** What the person said in this session before, oldest first. */
  readonly earlier: readonly string[];
  /** The rules and system prompt the agent was given. */
  readonly system: string;
  readonly random: () => number;
}

/** Something that can be answered without any tool. */
interface TalkRule {
  readonly pattern: RegExp;
  readonly answer: (match: RegExpExecArray, context: TalkContext, prompt: string) => string | undefined;
}

const MAX_COUNT = 100_000;

const talkRules: readonly TalkRule[] = [
  {
    pattern: /\b(?:generate|write|create|suggest|give)\b[^.\n]{0,40}\btitle\b[^:\n]*:?\s*([\s\S]*)/i,
    answer: ([, rest = ""], { earlier }) => toTitle(rest.trim() || earlier.at(-1) || "A new session"),
  },
  {
    pattern: /\bsummari[sz]e\b.*\b(?:conversation|session|chat|discussion|transcript)\b/i,
    answer: (_, { earlier }) =>
      earlier.length === 0
        ? "Nothing has been said yet."
        : `So far you asked:\n${earlier.map((text) => `- ${firstLine(text)}`).join("\n")}`,
  },
  {
    pattern: /\b(?:write|give me|tell me|compose)\b.*?\b(\d[\d,]*)\s+words?\b(?:\s+(?:about|on|of)\s+(.+))?/is,
    answer: ([, count = "0", topic = "nothing in particular"], { random }) =>
      longText(plainText(topic), Math.min(MAX_COUNT, Number(count.replaceAll(",", ""))), random),
  },
  {
    pattern: /\bcount\b(?:\s+from\s+(\d+|[a-z]+))?\s+(?:up\s+)?to\s+(\d+|[a-z]+)/i,
    answer: ([, from = "1", to = "1"]) => countUp(toNumber(from), toNumber(to)),
  },
  {
    pattern: /\bwhat(?:'s| is| was| are)\s+my\s+([\w ]+?)\s*\??$/i,
    answer: ([, subject = ""], { earlier }) => {
      const value = recall(subject, earlier);
      return value === undefined ? `You have not told me your ${subject}.` : `Your ${subject} is ${value}.`;
    },
  },
  {
    pattern: /\bwho am i\b/i,
    answer: (_, { earlier }) => {
      const name = recall("name", earlier);
      return name === undefined ? "You have not told me your name." : `You are ${name}.`;
    },
  },
  {
    pattern: /\bwhat did i (?:ask|tell) you to remember\b|\bwhat (?:should|do) you remember\b/i,
    answer: (_, { earlier }) => recallNote(earlier),
  },
  {
    pattern: /\bwhat (?:did i|was my)\b.*\b(?:say|ask|tell|message|prompt|question)\b/i,
    answer: (_, { earlier }) => {
      const last = earlier.at(-1);
      return last === undefined ? "This is the first thing you said." : `You said: "${last}"`;
    },
  },
  {
    pattern: /\bmy ([\w ]+?) (?:is|are) ([^.!?\n]+)/i,
    answer: ([, subject = "", value = ""]) =>
      subject.toLowerCase() === "name"
        ? `Nice to meet you, ${value.trim()}.`
        : `I will remember that your ${subject} is ${value.trim()}.`,
  },
  { pattern: /\bremember\b(?:\s+that)?:?\s+(.+)/is, answer: ([, note = ""]) => `I will remember: ${plainText(note)}` },
  {
    pattern: /\b(?:what|calculate|compute|how much|solve|evaluate|plus|times)\b|^[\s\d.+*/x×÷-]+[=?]?\s*$/i,
    answer: (_match, _context, prompt) => {
      const result = arithmetic(prompt);
      return result === undefined ? undefined : `${result.sum.trim()} = ${result.value}`;
    },
  },
  {
    pattern: /^\s*(?:hi|hello|hey|good (?:morning|evening|day)|greetings)\b/i,
    answer: () => "Hello! I am Caret's simulator. What shall I do?",
  },
  { pattern: /^\s*(?:thanks|thank you|thx)\b/i, answer: () => "You are welcome." },
  { pattern: /\b(?:who|what) are you\b/i, answer: () => whoAmI },
  { pattern: /\bping\b/i, answer: () => "pong" },
];

const leads: readonly RegExp[] = [
  /\b(?:reply|respond|answer|say|output)\b(?:\s+(?:to me|back))?(?:\s+(?:with|only|just|exactly|the\s+(?:single\s+|exact\s+)?(?:words?|text|string|phrase)))+\s*:?\s+([\s\S]+)$/i,
  /\b(?:reply|respond|answer|say|output)\s*:\s*([\s\S]+)$/i,
  /^\s*say\s+([\s\S]+)$/i,
];

/** The exact words a prompt asks for, if it does; they also end an answer that needed tools. */
export function wantedWords(prompt: string): string | undefined {
  const direct = leads.map((lead) => lead.exec(prompt)).find((match) => match !== null);
  const words = direct?.[1]?.replace(
    /\s+(?:and nothing else|only|at the end|when (?:you are )?(?:done|finished))\b.*$/is,
    "",
  );
  return words === undefined || /^(?:the|its|what|how|a)\b/i.test(words) ? undefined : plainText(words);
}

/** An answer that needs no tool, if there is one. */
export function talk(prompt: string, context: TalkContext): string | undefined {
  if (
    /\btitle\b/i.test(context.system) &&
    /\b(?:title generator|generate a (?:brief |short )?title)\b/i.test(context.system)
  )
    return toTitle(prompt.replace(/^.*\btitle\b[^\n]*\n+/i, ""));
  for (const { pattern, answer } of talkRules) {
    const match = pattern.exec(prompt);
    const words = match === null ? undefined : answer(match, context, prompt);
    if (words !== undefined) return words;
  }
  return undefined;
}

export const whoAmI =
  "I am Caret's simulator: I follow rules, I do not think. I can read, list, search, write, change and delete files, run " +
  "commands, call the tools I am offered, count, calculate, and remember what you tell me.";

function toTitle(text: string): string {
  const words = plainText(firstLine(text))
    .split(/\s+/)
    .slice(0, 7)
    .map((word) => word.replace(/[^\p{L}\p{N}._/-]/gu, ""))
    .filter((word) => word !== "");
  const title = words.join(" ");
  return title === "" ? "A new session" : `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
}

function firstLine(text: string): string {
  return text.trim().split("\n")[0] ?? "";
}

const numberWords = "zero one two three four five six seven eight nine ten eleven twelve".split(" ");

function toNumber(text: string): number {
  const word = numberWords.indexOf(text.toLowerCase());
  return word === -1 ? Number(text) || 1 : word;
}

function countUp(from: number, to: number): string {
  const length = Math.min(MAX_COUNT, Math.max(0, to - from + 1));
  return Array.from({ length }, (_, index) => from + index).join("\n");
}

/** The last thing the person said about it counts. */
function recall(subject: string, earlier: readonly string[]): string | undefined {
  const escaped = subject.replace(/[^\w ]/g, "");
  const statement = new RegExp(`\\bmy ${escaped} (?:is|are) ([^.!?,\\n]+)`, "i");
  const called = subject.toLowerCase() === "name" ? /\b(?:call me|i am|i'm) ([A-Z]\w*)/ : undefined;
  const found = earlier.map((text) => statement.exec(text)?.[1] ?? called?.exec(text)?.[1]);
  return found.findLast((value) => value !== undefined)?.trim();
}

function recallNote(earlier: readonly string[]): string {
  const notes = earlier.flatMap((text) => /\bremember\b(?:\s+that)?:?\s+(.+)/is.exec(text)?.[1] ?? []);
  return notes.length === 0
    ? "You asked me to remember nothing."
    : `You asked me to remember: ${notes.map(plainText).join("; ")}`;
}
