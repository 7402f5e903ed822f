import { createConfigSchema, documentedDefaults } from "./config-schema.ts";
import { type ConfigKey, listKeys } from "./key-names.ts";

let keys: readonly ConfigKey[] | undefined;

/** Every setting, with the documented defaults. Cached: startup needs it three times. */
export function documentedKeys(): readonly ConfigKey[] {
  keys ??= listKeys(createConfigSchema(documentedDefaults));
  return keys;
}
