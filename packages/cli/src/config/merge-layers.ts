import { mapValue } from "./check-value.ts";
import { absolutePath, type ConfigEnvironment, pathsOf } from "./config-paths.ts";
import type { Config, ConfigSchema } from "./config-schema.ts";
import type { ConfigKey, KeyTraits } from "./key-names.ts";
import type { ConfigSource, Layer } from "./layer.ts";

export interface MergedConfig {
  readonly config: Config;
  /** Where each key's value came from. */
  readonly sources: Readonly<Record<string, ConfigSource>>;
}

/** Takes each key from the first layer that has it, else its default. A map is taken whole, never merged. */
export function mergeLayers(
  schema: ConfigSchema,
  keys: readonly ConfigKey[],
  layers: readonly Layer[],
  environment: ConfigEnvironment,
): MergedConfig {
  const sources: Record<string, ConfigSource> = {};
  const settings: SettingTree = {};
  for (const { key, schema: keySchema } of keys) {
    const layer = layers.find(({ values }) => values.has(key));
    const source = layer?.source ?? ({ kind: "default" } as const);
    sources[key] = source;
    if (layer === undefined) continue;
    const value = mapValue(keySchema, layer.values.get(key), (traits, part) =>
      locate(traits, part, baseOf(source, environment), environment),
    );
    setAt(settings, key.split("."), value);
  }
  return { config: schema.parse(settings), sources };
}

interface SettingTree {
  [name: string]: unknown;
}

function setAt(tree: SettingTree, [name = "", ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const group = (tree[name] ?? {}) as SettingTree;
  tree[name] = group;
  setAt(group, rest, value);
}

function baseOf(source: ConfigSource, { cwd, platform }: ConfigEnvironment): string {
  return "path" in source ? pathsOf(platform).dirname(source.path) : cwd;
}

/** Makes a path, or each of a list, absolute. */
function locate(traits: KeyTraits, value: unknown, base: string, environment: ConfigEnvironment): unknown {
  if (Array.isArray(value)) return value.map((item) => locate(traits, item, base, environment));
  if (traits.path === undefined || typeof value !== "string") return value;
  // A command without a slash is looked up on PATH.
  if (traits.path === "command" && !/[/\\]/.test(value)) return value;
  return absolutePath(value, { base, home: environment.home, platform: environment.platform });
}
