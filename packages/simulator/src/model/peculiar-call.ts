import type { ModelCall, OfferedTool } from "./model.ts";
import { type SchemaProperty, schemaProperties } from "./schema-properties.ts";
import { isPeculiar } from "./tool-matching.ts";
import { wordsOf } from "./words-of.ts";

const commonWords = new Set([
  "get",
  "set",
  "do",
  "tool",
  "the",
  "my",
  "a",
  "of",
  "to",
  "for",
  "and",
  "list",
  "make",
  "new",
  "mcp",
  "call",
]);

/** A call of a tool like `get_weather` when the prompt speaks of the weather: the words of its name decide. */
export function peculiarCall(prompt: string, tools: readonly OfferedTool[]): ModelCall | undefined {
  const words = new Set(wordsOf(prompt));
  const scored = tools.filter(isPeculiar).map((tool) => ({ tool, score: overlap(tool, words) }));
  const [best] = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  if (best === undefined) return undefined;
  return { server: best.tool.server, name: best.tool.name, args: guessArguments(best.tool, prompt) };
}

/** Values for a tool that the prompt asks for by name, taken from the prompt itself. */
export function guessArguments(tool: OfferedTool, prompt: string): Record<string, unknown> {
  const properties = schemaProperties(tool.inputSchema);
  const wanted = properties.some(({ isRequired }) => isRequired)
    ? properties.filter(({ isRequired }) => isRequired)
    : properties.slice(0, 1);
  const numbers = [...prompt.matchAll(/-?\d+(?:\.\d+)?/g)].map(([number]) => Number(number));
  const texts = textsIn(prompt);
  return Object.fromEntries(wanted.map((property) => [property.name, guess(property, { numbers, texts, prompt })]));
}

interface Material {
  /** Taken from the front as they are used. */
  readonly numbers: number[];
  readonly texts: string[];
  readonly prompt: string;
}

function guess({ schema, type }: SchemaProperty, { numbers, texts, prompt }: Material): unknown {
  const choices = schema["enum"];
  if (Array.isArray(choices))
    return choices.find((choice) => prompt.toLowerCase().includes(String(choice).toLowerCase())) ?? choices[0];
  if (type === "number" || type === "integer") return numbers.shift() ?? 1;
  if (type === "boolean") return !/\b(?:not|no|off|disable|false)\b/i.test(prompt);
  const text = texts.shift() ?? prompt;
  return type === "array" ? [text] : text;
}

/** Quoted texts first, then names after a preposition, then any capitalised names. */
function textsIn(prompt: string): string[] {
  const quoted = [...prompt.matchAll(/[`"']([^`"'\n]+)[`"']/g)].map(([, text = ""]) => text);
  const named = [...prompt.matchAll(/\b(?:in|for|at|of|to|from|about)\s+((?:[A-Z][\w-]*\s?)+)/g)].map(([, text = ""]) =>
    text.trim(),
  );
  return [...new Set([...quoted, ...named])];
}

function overlap({ name }: OfferedTool, words: ReadonlySet<string>): number {
  return wordsOf(name).filter((word) => !commonWords.has(word) && word.length > 2 && words.has(word)).length;
}
