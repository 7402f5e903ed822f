import { applyPriceUpdates } from "@caret/protocol";
import { type Command, Option } from "commander";
import type { Host } from "../host/host.ts";
import { absolutePath, readConfigFile } from "./config-paths.ts";
import { documentedKeys } from "./documented-keys.ts";
import { toFlag } from "./key-names.ts";
import { type LoadConfigOptions, type LoadedConfig, loadConfig } from "./load-config.ts";
import { loadPriceUpdates } from "./price-file.ts";
import { valueAt } from "./setting-value.ts";

/**
 * Adds `--config` and a flag for every setting. Only `--config` shows in the help; the settings have their own page. A command that already
 * has such a flag keeps it.
 */
export function addConfigFlags(command: Command): Command {
  const taken = new Set(command.options.map(({ long }) => long));
  if (!taken.has("--config")) command.option("--config <file>", "read the settings from this file only");
  for (const { flag } of configFlagNames())
    if (!taken.has(flag)) command.addOption(new Option(`${flag} <value>`).hideHelp());
  return command;
}

/** Settings from the command line, in the form `loadConfig` takes. */
function configFlags(options: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const given = configFlagNames().map(({ key, flag }) => [key, options[new Option(flag).attributeName()]] as const);
  return Object.fromEntries(
    [...given, ["config", options["config"]] as const].filter(([, value]) => value !== undefined),
  );
}

export function configSources(host: Host, options: Readonly<Record<string, unknown>>): LoadConfigOptions {
  const { env, cwd, home, platform } = host;
  return { flags: configFlags(options), env, cwd, home, platform, readFile: readConfigFile };
}

/** The given flags, for starting Caret again in any directory: paths are made absolute. */
export function configWords(host: Host, options: Readonly<Record<string, unknown>>): readonly string[] {
  const { flags } = configSources(host, options);
  const { config } = loadHostConfig(host, options);
  return Object.entries(flags).flatMap(([key, typed]) => {
    if (key === "config") return ["--config", absolutePath(String(typed), { ...host, base: host.cwd })];
    const value = valueAt(config, key.split("."));
    return [toFlag(key), typeof value === "string" ? value : JSON.stringify(value)];
  });
}

/** Hosts whose warnings were already printed. */
const warned = new WeakSet<Host>();

/**
 * Also applies the user's own prices, since they decide which models a project can choose. Prints the configuration's warnings to standard
 * error, once.
 */
export function loadHostConfig(host: Host, options: Readonly<Record<string, unknown>>): LoadedConfig {
  applyPriceUpdates(loadPriceUpdates(host));
  const loaded = loadConfig(configSources(host, options));
  if (!warned.has(host))
    for (const { location, message } of loaded.warnings) host.stderr.write(`caret: ${location}: ${message}\n`);
  warned.add(host);
  return loaded;
}

function configFlagNames(): readonly { readonly key: string; readonly flag: string }[] {
  return documentedKeys().map(({ key }) => ({ key, flag: toFlag(key) }));
}
