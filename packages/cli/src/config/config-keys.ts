import { z } from "zod";

/** A key that can be set by itself: everything but the groups. A map (`profiles`, `models`) is set as a whole. */
export interface ConfigKey {
  readonly key: string;
  readonly schema: z.ZodType;
}

/** Every key of an object schema, in the order they are written. */
export function listKeys(schema: z.ZodType, prefix = ""): readonly ConfigKey[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, member]) => {
    const key = prefix + name;
    return shapeOf(member) === undefined ? [{ key, schema: member }] : listKeys(member, `${key}.`);
  });
}

/** The members of an object schema; nothing for any other schema. */
export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const inner = unwrap(schema);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

/** What the entries of a map are; nothing for any other schema. */
export function entryOf(schema: z.ZodType): z.ZodType | undefined {
  const inner = unwrap(schema);
  return inner instanceof z.ZodRecord ? (inner.valueType as z.ZodType) : undefined;
}

/** The schema without its default and its leave to be absent. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const wrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return wrapped ? unwrap(schema.def.innerType as z.ZodType) : schema;
}
