import { z } from "zod";

export const keyTraits = z.registry<KeyTraits>();

export const PREFIX = "CARET_";

/**
 * Derives names from a key's words, in order: `clocks.firstEventMs` is `CARET_CLOCKS_FIRST_EVENT_MS` as a variable and
 * `--clocks-first-event-ms` as a flag.
 */
export function toVariable(key: string): string {
  return PREFIX + words(key).join("_").toUpperCase();
}

export function toFlag(key: string): string {
  return `--${words(key).join("-")}`;
}

export function fromVariable(variable: string, keys: Iterable<string>): string | undefined {
  for (const key of keys) if (toVariable(key) === variable) return key;
  return undefined;
}

/** The location of the settings, a gateway's address and token as clients keep them, and the mark of processes started by Caret. */
const reserved: ReadonlySet<string> = new Set(["CARET_CONFIG", "CARET_URL", "CARET_TOKEN", "CARET_PROCESS_ID"]);

/** Whether a `CARET_` variable is a setting: not one of the reserved ones, nor the simulator's, the bridge's or the tests'. */
export function isSetting(variable: string): boolean {
  if (reserved.has(variable) || /^CARET_(?:SIM|BRIDGE|FULL|CRASH)_/.test(variable)) return false;
  return variable.startsWith(PREFIX);
}

function words(key: string): readonly string[] {
  return key.replace(/[A-Z]/g, (letter) => `.${letter.toLowerCase()}`).split(".");
}

/** A key's properties beyond its type. Kept out of the JSON Schema. */
export interface KeyTraits {
  /** Paths are made absolute from where they were written; commands only if written as a path. */
  readonly path?: "file" | "command";
  /** What `caret config print` hides: everything, or a command's arguments. */
  readonly secret?: "all" | "arguments";
  /** A change on the page takes effect at once; all other settings at the next start. */
  readonly live?: true;
  /**
   * Whether the `caret.json` of a working directory can set it. Such a file comes with a repository, and a repository must not choose what
   * runs, where, with whose key, or how much it costs. So it can only narrow the setting: to a lower number, to a model that costs no more,
   * or along a list ordered from most to least permissive.
   */
  readonly project?: "lower" | "cheaper" | readonly string[];
}

/** Attaches a key's meaning and traits. Call it last: every other method returns a new schema without them. */
export function key<S extends z.ZodType>(schema: S, meaning: string, traits: KeyTraits = {}): S {
  const described = schema.describe(meaning);
  keyTraits.add(described, traits);
  return described;
}

/** A key that can be set on its own: anything but a group. A map (`profiles`, `models`) is set as a whole. */
export interface ConfigKey {
  readonly key: string;
  readonly schema: z.ZodType;
}

/** All keys of an object schema, in source order. */
export function listKeys(schema: z.ZodType, prefix = ""): readonly ConfigKey[] {
  return Object.entries(shapeOf(schema) ?? {}).flatMap(([name, member]) => {
    const key = prefix + name;
    return shapeOf(member) === undefined ? [{ key, schema: member }] : listKeys(member, `${key}.`);
  });
}

/** The members of an object schema; undefined for any other schema. */
export function shapeOf(schema: z.ZodType): Readonly<Record<string, z.ZodType>> | undefined {
  const inner = unwrap(schema);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
}

/** The schema of a map's entries; undefined for any other schema. */
export function entryOf(schema: z.ZodType): z.ZodType | undefined {
  const inner = unwrap(schema);
  return inner instanceof z.ZodRecord ? (inner.valueType as z.ZodType) : undefined;
}

/** The schema without its default and optional wrappers. */
export function unwrap(schema: z.ZodType): z.ZodType {
  const wrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return wrapped ? unwrap(schema.def.innerType as z.ZodType) : schema;
}
