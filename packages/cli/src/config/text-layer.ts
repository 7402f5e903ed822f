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
 * The settings of the environment. An empty variable counts as unset. A `CARET_` variable that is not a setting may belong to another
 * program or version, so it only causes a warning.
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

/** Settings given as flags: raw text, or values the command has already parsed. */
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
 * Parses the text of a variable or flag according to its key's type. Error messages never repeat the text: it may be a secret in the wrong
 * variable.
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
