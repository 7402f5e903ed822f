import type { z } from "zod";
import { type ConfigKey, entryOf, type KeyTraits, keyTraits, shapeOf } from "./key-names.ts";
import { type ConfigProblem, type ConfigSource, locationOf } from "./layer.ts";
import { nearestName } from "./nearest-name.ts";

type CheckedValue = { readonly value: unknown } | { readonly problems: readonly ConfigProblem[] };

/** Checks one value against its key's schema. */
export function checkValue({ key, schema }: ConfigKey, value: unknown, source: ConfigSource): CheckedValue {
  const parsed = schema.safeParse(value);
  if (parsed.success) return { value: parsed.data };
  return { problems: parsed.error.issues.flatMap((issue) => toProblems(issue, key, schema, source)) };
}

export function unknownName(
  noun: "key" | "variable" | "flag",
  name: string,
  known: Iterable<string>,
  prefix?: string,
): string {
  const nearest = nearestName(name, known, prefix);
  return nearest === undefined ? `unknown ${noun}` : `unknown ${noun}; did you mean ${nearest}?`;
}

function toProblems(
  issue: z.core.$ZodIssue,
  key: string,
  schema: z.ZodType,
  source: ConfigSource,
): readonly ConfigProblem[] {
  if (issue.code === "unrecognized_keys") {
    const known = Object.keys(shapeAt(schema, issue.path) ?? {});
    return issue.keys.map((name) => ({
      location: locationOf(source, key, [...issue.path, name]),
      message: unknownName("key", name, known),
    }));
  }
  // A bad name in a map is reported as a nested issue, whose message says what is wrong.
  const said = issue.code === "invalid_key" ? (issue.issues[0] ?? issue) : issue;
  return [{ location: locationOf(source, key, issue.path), message: said.message.replace(/^Invalid \w+: /, "") }];
}

/** The known members at a path inside a value. */
function shapeAt(schema: z.ZodType, path: readonly PropertyKey[]): Readonly<Record<string, z.ZodType>> | undefined {
  const [first, ...rest] = path;
  if (first === undefined) return shapeOf(schema);
  const member = shapeOf(schema)?.[String(first)] ?? entryOf(schema);
  return member === undefined ? undefined : shapeAt(member, rest);
}

/** Rebuilds a valid value, changing every part whose key has traits. */
export function mapValue(
  schema: z.ZodType,
  value: unknown,
  change: (traits: KeyTraits, value: unknown) => unknown,
): unknown {
  if (value === undefined) return undefined;
  const members = mapMembers(schema, value, change);
  const traits = keyTraits.get(schema);
  return traits === undefined ? members : change(traits, members);
}

function mapMembers(
  schema: z.ZodType,
  value: unknown,
  change: (traits: KeyTraits, value: unknown) => unknown,
): unknown {
  const shape = shapeOf(schema);
  const entry = entryOf(schema);
  if (shape === undefined && entry === undefined) return value;
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).map(([name, member]) => {
      const memberSchema = shape?.[name] ?? entry;
      return [name, memberSchema === undefined ? member : mapValue(memberSchema, member, change)];
    }),
  );
}
