import { isJsonObject } from "@caret/protocol";
import type { z } from "zod";
import { checkValue, unknownName } from "./check-value.ts";
import type { ConfigPath } from "./config-paths.ts";
import { type ConfigKey, keyTraits, listKeys, shapeOf } from "./key-names.ts";
import { type ConfigProblem, type ConfigSource, type Layer, locationOf } from "./layer.ts";

/** The settings of one file. */
export function fileLayer({ path, role }: ConfigPath, text: string, schema: z.ZodType): Layer {
  const source: ConfigSource = { kind: role === "project" ? "project" : "file", path };
  const content = parseFile(text);
  if ("fault" in content) return { source, values: new Map(), problems: [{ location: path, message: content.fault }] };
  const { $schema: _, ...settings } = content.settings;
  const values = new Map<string, unknown>();
  const problems = readGroup({ schema, keys: listKeys(schema), source, values }, settings, "");
  return { source, values, problems };
}

interface Reading {
  readonly schema: z.ZodType;
  readonly keys: readonly ConfigKey[];
  readonly source: ConfigSource;
  readonly values: Map<string, unknown>;
}

function readGroup(reading: Reading, group: Record<string, unknown>, prefix: string): readonly ConfigProblem[] {
  const shape = shapeOf(reading.schema) ?? {};
  return Object.entries(group).flatMap(([name, value]) => {
    const key = prefix + name;
    const location = locationOf(reading.source, key);
    const member = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (member === undefined) return [{ location, message: unknownMember(reading, name, Object.keys(shape)) }];
    if (shapeOf(member) === undefined) return readKey(reading, { key, schema: member }, value);
    if (!isJsonObject(value)) return [{ location, message: "expected an object" }];
    return readGroup({ ...reading, schema: member }, value, `${key}.`);
  });
}

function readKey(reading: Reading, key: ConfigKey, value: unknown): readonly ConfigProblem[] {
  const { source, values } = reading;
  const checked = checkValue(key, value, source);
  if ("problems" in checked) return checked.problems;
  if (source.kind === "project" && keyTraits.get(key.schema)?.project === undefined)
    return [{ location: locationOf(source, key.key), message: refusal }];
  values.set(key.key, checked.value);
  return [];
}

const refusal =
  "a project's file may not choose this, because it comes with the repository. " +
  "Put it in your own caret.json, or name the file with --config if you trust it";

function unknownMember({ keys }: Reading, name: string, siblings: readonly string[]): string {
  if (keys.some(({ key }) => key === name)) return "unknown key; write its parts as nested objects";
  const elsewhere = keys.find(({ key }) => key.endsWith(`.${name}`));
  return elsewhere === undefined ? unknownName("key", name, siblings) : `unknown key; did you mean ${elsewhere.key}?`;
}

function parseFile(text: string): { readonly settings: Record<string, unknown> } | { readonly fault: string } {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return isJsonObject(value) ? { settings: value } : { fault: "expected an object" };
  } catch (reason) {
    // Only the position is taken from the error: the rest quotes the file, which may hold a secret.
    const position = /line \d+ column \d+/.exec(String(reason))?.[0];
    return { fault: position === undefined ? "expected JSON" : `expected JSON; it goes wrong at ${position}` };
  }
}
