import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { UserSettings } from "@caret/gateway";
import { CaretError, type ChangeSettings, type SettingsView } from "@caret/protocol";
import type { SettingValue } from "@caret/protocol/recipes";
import { withFileLock } from "@caret/runtime";
import { unknownName } from "../config/check-value.ts";
import { configPaths } from "../config/config-paths.ts";
import type { Config } from "../config/config-schema.ts";
import { documentedKeys } from "../config/documented-keys.ts";
import { keyTraits } from "../config/key-names.ts";
import { type LoadConfigOptions, type LoadedConfig, loadConfig, validateConfig } from "../config/load-config.ts";
import { withKeptPort } from "../gateway/kept-port.ts";
import { FileDrafts } from "../install/file-drafts.ts";
import { editorFor, emptyText, setSetting } from "../install/settings-editors.ts";
import { isWritable, settingsView, valuesByKey } from "./settings-view.ts";

interface UserSettingsOptions {
  /** The configuration the gateway was started with. */
  readonly loaded: LoadedConfig;
  /** Called after a change, to apply live settings. */
  readonly onChange: (config: Config) => void;
  /** Where the gateway listens. */
  readonly gatewayUrl: () => string;
}

/** Reads and changes a running gateway's settings in the user's own file, preserving its layout. Never writes a project's file. */
export function createUserSettings({ loaded, onChange, gatewayUrl }: UserSettingsOptions): UserSettings {
  const { from } = loaded;
  const running = valuesByKey(loaded.config);
  const view = (): SettingsView => settingsView({ file: fileOf(from), next: withKeptPort(loadConfig(from)), running });
  return {
    read: async () => view(),
    async change(wanted) {
      const file = fileOf(from);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      await withFileLock(file, () => writeChanges(file, wanted, from));
      const { config } = loadConfig(from);
      onChange(config);
      const next = valuesByKey(config);
      for (const { key, schema } of documentedKeys())
        if (keyTraits.get(schema)?.live === true) running.set(key, next.get(key));
      return view();
    },
    async testWebhook() {
      const { config } = withKeptPort(loadConfig(from));
      const { testGatewayWebhook } = await import("../gateway/gateway-webhook.ts");
      await testGatewayWebhook(config, gatewayUrl());
    },
  };
}

/** The named file, else the user's existing one, else the first place Caret looks. */
function fileOf(from: LoadConfigOptions): string {
  const own = configPaths(from).filter(({ role }) => role !== "project");
  const [first] = own;
  if (first === undefined) throw new CaretError("internal", "There is no path for a configuration file");
  return (own.find(({ path }) => from.readFile(path) !== undefined) ?? first).path;
}

function writeChanges(file: string, { changes }: ChangeSettings, from: LoadConfigOptions): void {
  const drafts = new FileDrafts();
  const before = drafts.read(file) ?? emptyText("jsonc", false);
  const after = Object.entries(changes).reduce((text, [key, value]) => edited(text, key, value), before);
  const readFile: LoadConfigOptions["readFile"] = (path) => (path === file ? after : from.readFile(path));
  const problems = validateConfig({ ...from, readFile });
  if (problems.length > 0) throw refusal(problems.map(({ location, message }) => `${location}: ${message}`).join("\n"));
  drafts.write(file, after);
  drafts.commit();
}

function edited(text: string, key: string, value: unknown): string {
  const known = documentedKeys().find((each) => each.key === key);
  if (known === undefined)
    throw refusal(
      `${key}: ${unknownName(
        "key",
        key,
        documentedKeys().map((each) => each.key),
      )}`,
    );
  if (!isWritable(known.schema)) throw refusal(`${key}: has secrets in it, and is changed in the file itself only`);
  const path = key.split(".");
  try {
    if (value === null) return editorFor("jsonc").undo(text, path, { former: null, depth: 0, blank: null });
    return setSetting("jsonc", text, path, value as SettingValue).text;
  } catch (reason) {
    throw refusal(`${key}: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
}

function refusal(what: string): CaretError {
  return new CaretError("invalid-request", what, { fix: "Nothing was changed. Correct the value and save it again." });
}
