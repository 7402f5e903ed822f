import { parseJson } from "@caret/protocol";
import { z } from "zod";
import { checkValue, unknownName } from "./check-value.ts";
import { type ConfigKey, fromVariable, isSetting, PREFIX, toFlag, toVariable, unwrap } from "./key-names.ts";
import { type ConfigProblem, type ConfigSource, type Layer, locationOf } from "./layer.ts";

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

const booleans = new Map([
  ["true", true],
  ["1", true],
  ["false", false],
  ["0", false],
]);

/**
 * The settings of the environment. An empty variable counts as unset. One of our family that is no setting may be another program's, or
 * that of another version: it is a warning.
 */
export function variableLayer(env: Readonly<Record<string, string | undefined>>, keys: readonly ConfigKey[]): Layer {
  const names = keys.map(({ key }) => key);
  const set = new Map(Object.entries(env).filter(([, text]) => text !== undefined && text !== ""));
  const unknown = [...set.keys()].filter((name) => isSetting(name) && fromVariable(name, names) === undefined);
  const warnings = unknown.map((name) => ({
    location: name,
    message: unknownName("variable", name, names.map(toVariable), PREFIX),
  }));
  return { ...textLayer((key) => set.get(toVariable(key)), keys, { kind: "variable" }), warnings };
}

/** The settings given as flags: text as it was typed, or values the command has already read. */
export function flagLayer(flags: Readonly<Record<string, unknown>>, keys: readonly ConfigKey[]): Layer {
  const names = keys.map(({ key }) => key);
  const unknown = Object.keys(flags).filter((key) => key !== "config" && !names.includes(key));
  const problems = unknown.map((key) => ({
    location: toFlag(key),
    message: unknownName("flag", toFlag(key), names.map(toFlag)),
  }));
  const layer = textLayer((key) => flags[key], keys, { kind: "flag" });
  return { ...layer, problems: [...problems, ...layer.problems] };
}

function textLayer(given: (key: string) => unknown, keys: readonly ConfigKey[], source: ConfigSource): Layer {
  const values = new Map<string, unknown>();
  const problems = keys.flatMap((key) => {
    const checked = readKey(key, given(key.key), source);
    if (checked === undefined) return [];
    if ("problems" in checked) return checked.problems;
    values.set(key.key, checked.value);
    return [];
  });
  return { source, values, problems };
}

function readKey(
  key: ConfigKey,
  given: unknown,
  source: ConfigSource,
): { readonly value: unknown } | { readonly problems: readonly ConfigProblem[] } | undefined {
  if (given === undefined) return undefined;
  const parsed = typeof given === "string" ? parseText(key.schema, given) : { value: given };
  if ("expected" in parsed) return { problems: [{ location: locationOf(source, key.key), message: parsed.expected }] };
  return checkValue(key, parsed.value, source);
}

type ParsedText = { readonly value: unknown } | { readonly expected: string };

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
  if (type instanceof z.ZodArray) return trimmed.startsWith("[") ? parseValue(trimmed) : { value: splitList(text) };
  if (type instanceof z.ZodRecord) return parseValue(trimmed);
  return { value: text };
}

function splitList(text: string): readonly string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

function parseValue(text: string): ParsedText {
  const value = parseJson(text);
  return value === undefined ? { expected: "expected JSON" } : { value };
}
