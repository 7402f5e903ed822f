import { z } from "zod";

/** What a key needs beyond its type. Kept beside the schema, out of the JSON Schema. */
export interface KeyTraits {
  /** A path is made absolute from where it was written; a command only when it is written as a path. */
  readonly path?: "file" | "command";
  /** What `caret config print` hides: everything, or a command's arguments. */
  readonly secret?: "all" | "arguments";
  /**
   * May the `caret.json` of a working directory set it? Such a file comes with a repository, and a repository must
   * not choose what runs, where, with whose key, or how much it costs. So it may only narrow what holds without it: to a
   * lower number, to a model that costs no more, or along a list from the value that does most to the one that does least.
   */
  readonly project?: "lower" | "cheaper" | readonly string[];
}

export const keyTraits = z.registry<KeyTraits>();

/** Give a key its meaning and its traits. Comes last: every other method makes a new schema without them. */
export function key<S extends z.ZodType>(schema: S, meaning: string, traits: KeyTraits = {}): S {
  const described = schema.describe(meaning);
  keyTraits.add(described, traits);
  return described;
}
