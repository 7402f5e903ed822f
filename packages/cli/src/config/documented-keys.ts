import { createConfigSchema, documentedDefaults } from "./config-schema.ts";
import { type ConfigKey, listKeys } from "./key-names.ts";

let keys: readonly ConfigKey[] | undefined;

/** Every setting, with the defaults that the documentation names. Made once: a start asks for them three times. */
export function documentedKeys(): readonly ConfigKey[] {
  keys ??= listKeys(createConfigSchema(documentedDefaults));
  return keys;
}
