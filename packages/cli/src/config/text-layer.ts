import { checkValue, unknownName } from "./check-value.ts";
import type { ConfigKey } from "./config-keys.ts";
import { type ConfigProblem, type ConfigSource, placeOf } from "./config-source.ts";
import { fromVariable, isSetting, toFlag, toVariable } from "./key-names.ts";
import type { Layer } from "./layer.ts";
import { parseText } from "./parse-text.ts";

/** The settings of the environment. An empty variable counts as unset. */
export function variableLayer(env: Readonly<Record<string, string | undefined>>, keys: readonly ConfigKey[]): Layer {
  const names = keys.map(({ key }) => key);
  const set = new Map(Object.entries(env).filter(([, text]) => text !== undefined && text !== ""));
  const unknown = [...set.keys()].filter((name) => isSetting(name) && fromVariable(name, names) === undefined);
  const problems = unknown.map((name) => ({
    place: name,
    message: unknownName("variable", name, names.map(toVariable)),
  }));
  const layer = textLayer((key) => set.get(toVariable(key)), keys, { kind: "variable" });
  return { ...layer, problems: [...problems, ...layer.problems] };
}

/** The settings given as flags: text as it was typed, or values the command has already read. */
export function flagLayer(flags: Readonly<Record<string, unknown>>, keys: readonly ConfigKey[]): Layer {
  const names = keys.map(({ key }) => key);
  const unknown = Object.keys(flags).filter((key) => key !== "config" && !names.includes(key));
  const problems = unknown.map((key) => ({
    place: toFlag(key),
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
  if ("expected" in parsed) return { problems: [{ place: placeOf(source, key.key), message: parsed.expected }] };
  return checkValue(key, parsed.value, source);
}
