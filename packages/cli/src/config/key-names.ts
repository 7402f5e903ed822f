import { z } from "zod";

export const keyTraits = z.registry<KeyTraits>();

export const PREFIX = "CARET_";

/**
 * The one rule for names: the words of a key, in order. `clocks.firstEventMs` is `CARET_CLOCKS_FIRST_EVENT_MS` as a
 * variable and `--clocks-first-event-ms` as a flag.
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

/** Where the settings are, a gateway's address and token as clients keep them, the mark of processes that Caret started. */
const reserved: ReadonlySet<string> = new Set(["CARET_CONFIG", "CARET_URL", "CARET_TOKEN", "CARET_PROCESS_ID"]);

/** Variables of Caret's family that are not settings: these, and the simulator's, the bridge's and the tests' own. */
export function isSetting(variable: string): boolean {
  if (reserved.has(variable) || /^CARET_(?:SIM|BRIDGE|FULL|CRASH)_/.test(variable)) return false;
  return variable.startsWith(PREFIX);
}

function words(key: string): readonly string[] {
  return key.replace(/[A-Z]/g, (letter) => `.${letter.toLowerCase()}`).split(".");
}

/** What a key needs beyond its type. Kept beside the schema, out of the JSON Schema. */
export interface KeyTraits {
  /** A path is made absolute from where it was written; a command only when it is written as a path. */
  readonly path?: "file" | "command";
  /** What `caret config print` hides: everything, or a command's arguments. */
  readonly secret?: "all" | "arguments";
  /** A change on the page counts at once; everything else counts from the next start on. */
  readonly live?: true;
  /**
   * May the `caret.json` of a working directory set it? Such a file comes with a repository, and a repository must
   * not choose what runs, where, with whose key, or how much it costs. So it may only narrow what holds without it: to a
   * lower number, to a model that costs no more, or along a list from the value that does most to the one that does least.
   */
  readonly project?: "lower" | "cheaper" | readonly string[];
}

/** Give a key its meaning and its traits. Comes last: every other method makes a new schema without them. */
export function key<S extends z.ZodType>(schema: S, meaning: string, traits: KeyTraits = {}): S {
  const described = schema.describe(meaning);
  keyTraits.add(described, traits);
  return described;
}

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
