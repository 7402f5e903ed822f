import { z } from "zod";
import { unwrap } from "./config-keys.ts";

export type ParsedText = { readonly value: unknown } | { readonly expected: string };

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
const booleans = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/**
 * What the text of a variable or a flag says, read as its key's type wants it. The text itself is never repeated in
 * what was expected: it may be a secret that landed in the wrong variable.
 */
export function parseText(schema: z.ZodType, text: string): ParsedText {
  const type = unwrap(schema);
  const trimmed = text.trim();
  if (type instanceof z.ZodNumber)
    return NUMBER.test(trimmed) ? { value: Number(trimmed) } : { expected: "expected a number" };
  if (type instanceof z.ZodBoolean) {
    const value = booleans.get(trimmed.toLowerCase());
    return value === undefined ? { expected: "expected true, false, 1 or 0" } : { value };
  }
  if (type instanceof z.ZodArray) return trimmed.startsWith("[") ? parseJson(trimmed) : { value: splitList(text) };
  if (type instanceof z.ZodRecord) return parseJson(trimmed);
  return { value: text };
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function parseJson(text: string): ParsedText {
  try {
    return { value: JSON.parse(text) };
  } catch {
    // The reason is dropped on purpose: it quotes the text.
    return { expected: "expected JSON" };
  }
}
