import { assertNever } from "@caret/protocol";
import { mapValue } from "./check-value.ts";
import { documentedKeys } from "./documented-keys.ts";
import { type KeyTraits, toFlag, toVariable } from "./key-names.ts";
import type { ConfigSource } from "./layer.ts";
import type { MergedConfig } from "./merge-layers.ts";

const HIDDEN = "[secret]";

export interface ExplainedKey {
  readonly key: string;
  /** Without secrets; undefined if the key is not set. */
  readonly value: unknown;
  /** The flag, variable or file it came from, or `default`. */
  readonly source: string;
}

/** Each setting with its value and its source. */
export function explainConfig({ config, sources }: MergedConfig): readonly ExplainedKey[] {
  return documentedKeys().map(({ key, schema }) => ({
    key,
    value: mapValue(schema, valueAt(config, key), hide),
    source: describeSource(key, sources[key] ?? { kind: "default" }),
  }));
}

function valueAt(config: unknown, key: string): unknown {
  return key.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], config);
}

function hide({ secret }: KeyTraits, value: unknown): unknown {
  if (secret === "all" && typeof value === "string") return HIDDEN;
  if (secret === "all")
    return Object.fromEntries(Object.keys(value as Record<string, unknown>).map((name) => [name, HIDDEN]));
  if (secret === "arguments") return (value as readonly string[]).map((word, index) => (index === 0 ? word : HIDDEN));
  return value;
}

function describeSource(key: string, source: ConfigSource): string {
  switch (source.kind) {
    case "flag":
      return toFlag(key);
    case "variable":
      return toVariable(key);
    case "project":
    case "file":
      return source.path;
    case "default":
      return source.kind;
    default:
      return assertNever(source);
  }
}
