import type { z } from "zod";
import { entryOf, shapeOf } from "./config-keys.ts";
import { type KeyTraits, keyTraits } from "./key-traits.ts";

/** Rebuild a valid value, changing every part whose key has traits. */
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
