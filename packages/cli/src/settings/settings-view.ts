import { isDeepStrictEqual } from "node:util";
import type { SettingsView, SettingView } from "@caret/protocol";
import type { Config } from "../config/config-schema.ts";
import { documentedKeys } from "../config/documented-keys.ts";
import { explainConfig } from "../config/explain-config.ts";
import { type ConfigKey, keyTraits } from "../config/key-names.ts";
import type { MergedConfig } from "../config/merge-layers.ts";
import { valueAt } from "../config/setting-value.ts";
import { holdsSecret, settingKind } from "./setting-kind.ts";

interface SettingsViewOptions {
  readonly file: string;
  /** The settings as the gateway's next start would read them. */
  readonly next: MergedConfig;
  /** The running gateway's values, by key. */
  readonly running: ReadonlyMap<string, unknown>;
}

/** Every setting for a form: its value without secrets, its source, and whether it is in force yet. */
export function settingsView({ file, next, running }: SettingsViewOptions): SettingsView {
  const explained = new Map(explainConfig(next).map((each) => [each.key, each]));
  return {
    file,
    settings: documentedKeys().map((key): SettingView => {
      const { value, source = "default" } = explained.get(key.key) ?? {};
      const isPending = !isDeepStrictEqual(running.get(key.key), valueAt(next.config, key.key.split(".")));
      return {
        ...traitsOf(key),
        ...(value === undefined ? {} : { value }),
        from: next.sources[key.key]?.kind ?? "default",
        source,
        ...(isPending && { pending: true }),
      };
    }),
  };
}

function traitsOf({ key, schema }: ConfigKey): Omit<SettingView, "from" | "source"> {
  const { kind, choices } = settingKind(schema);
  const fallback: unknown = schema.safeParse(undefined).data;
  const isSecret = holdsSecret(schema);
  return {
    key,
    meaning: schema.description ?? "",
    kind,
    ...(choices === undefined ? {} : { choices }),
    ...(fallback === undefined ? {} : { default: fallback }),
    ...(isSecret && (isWritable(schema) ? { secret: true as const } : { inFileOnly: true as const })),
    ...(keyTraits.get(schema)?.live === true && { live: true }),
  };
}

/** A value with hidden parts cannot be edited by people who do not see them: they could only replace it whole. */
export function isWritable(schema: ConfigKey["schema"]): boolean {
  return !holdsSecret(schema) || settingKind(schema).kind === "text";
}

export function valuesByKey(config: Config): Map<string, unknown> {
  return new Map(documentedKeys().map(({ key }) => [key, valueAt(config, key.split("."))]));
}
