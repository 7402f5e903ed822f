import { CaretError } from "@caret/protocol";
import type { z } from "zod";
import { assertWholeDirectory } from "../backup/unfinished-backup.ts";
import {
  type ConfigEnvironment,
  type ConfigPath,
  configPaths,
  defaultDataDir,
  pathsOf,
  type ReadConfigFile,
} from "./config-paths.ts";
import { type Config, createConfigSchema } from "./config-schema.ts";
import { fileLayer } from "./file-layer.ts";
import { type ConfigKey, keyTraits, listKeys } from "./key-names.ts";
import { type ConfigProblem, type Layer, locationOf } from "./layer.ts";
import { type MergedConfig, mergeLayers } from "./merge-layers.ts";
import { nearestName } from "./nearest-name.ts";
import { flagLayer, variableLayer } from "./text-layer.ts";
import { widening } from "./widening.ts";

/** The login the agent finds by itself; always available. */
const DEFAULT_PROFILE = "default";

export interface LoadConfigOptions extends ConfigEnvironment {
  readonly readFile: ReadConfigFile;
}

export interface LoadedConfig extends MergedConfig {
  /** The files that were read, highest priority first. */
  readonly files: readonly string[];
  /** Remarks for the user. */
  readonly warnings: readonly ConfigProblem[];
  /** The sources, for reading it again. */
  readonly from: LoadConfigOptions;
}

/** Precedence: flags, variables, files, defaults. Throws `invalid-config` with every problem found. */
export function loadConfig(options: LoadConfigOptions): LoadedConfig {
  const { loaded, problems } = readConfig(options);
  if (problems.length === 0) {
    assertWholeDirectory(loaded.config.dataDir);
    return loaded;
  }
  const lines = problems.map(({ location, message }) => `${location}: ${message}`);
  throw new CaretError("invalid-config", `Invalid configuration\n${lines.join("\n")}`);
}

/** Every problem of the configuration; empty if there is none. */
export function validateConfig(options: LoadConfigOptions): readonly ConfigProblem[] {
  return readConfig(options).problems;
}

/** The same plus warnings. */
export function criticiseConfig(options: LoadConfigOptions): readonly ConfigProblem[] {
  const { loaded, problems } = readConfig(options);
  return [...loaded.warnings, ...problems];
}

function readConfig(options: LoadConfigOptions): {
  readonly loaded: LoadedConfig;
  readonly problems: readonly ConfigProblem[];
} {
  assertHome(options);
  const maxArgBytes = options.platform === "win32" ? 4000 : 100_000;
  const schema = createConfigSchema({ dataDir: defaultDataDir(options), maxArgBytes });
  const keys = listKeys(schema);
  const files = readFiles(options, schema);
  const layers = [flagLayer(options.flags, keys), variableLayer(options.env, keys), ...files];
  const merged = mergeLayers(schema, keys, layers, options);
  return {
    loaded: {
      ...merged,
      files: files.flatMap(({ source }) => ("path" in source ? [source.path] : [])),
      warnings: layers.flatMap(({ warnings = [] }) => warnings),
      from: options,
    },
    problems: [
      ...layers.flatMap(({ problems }) => problems),
      ...(layers.every(isOwn)
        ? []
        : wideningProblems(merged, mergeLayers(schema, keys, layers.filter(isOwn), options).config, keys)),
      ...danglingProfiles(merged),
    ],
  };
}

function isOwn({ source }: Layer): boolean {
  return source.kind !== "project";
}

/** Problems where the project's file sets a value that does not narrow the user's. */
function wideningProblems(
  { config, sources }: MergedConfig,
  own: Config,
  keys: readonly ConfigKey[],
): readonly ConfigProblem[] {
  return keys.flatMap(({ key, schema }) => {
    const source = sources[key];
    const limit = keyTraits.get(schema)?.project;
    if (source?.kind !== "project" || limit === undefined) return [];
    const why = widening({ limit, own: valueAt(own, key), chosen: valueAt(config, key), config: own });
    const message = `a project's file may only narrow this, because it comes with the repository: ${why}`;
    return why === undefined ? [] : [{ location: locationOf(source, key), message }];
  });
}

function valueAt(config: Config, key: string): unknown {
  return key.split(".").reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], config);
}

/** Without a home directory, the user's files would be looked for in the working directory, and trusted. */
function assertHome({ home, platform }: ConfigEnvironment): void {
  if (pathsOf(platform).isAbsolute(home)) return;
  throw new CaretError("invalid-config", "The home directory is not known", { fix: "Set HOME to an absolute path." });
}

/** Reads the project's file, if any, and the first of the others that exists. */
function readFiles(options: LoadConfigOptions, schema: z.ZodType): readonly Layer[] {
  const layers: Layer[] = [];
  for (const candidate of configPaths(options)) {
    const layer = readLayer(candidate, options.readFile, schema);
    if (layer === undefined) continue;
    layers.push(layer);
    if (candidate.role !== "project") break;
  }
  return layers;
}

function readLayer(candidate: ConfigPath, readFile: ReadConfigFile, schema: z.ZodType): Layer | undefined {
  const { path, role } = candidate;
  const failed = (message: string): Layer => ({
    source: { kind: role === "project" ? "project" : "file", path },
    values: new Map(),
    problems: [{ location: path, message }],
  });
  try {
    const text = readFile(path);
    if (text !== undefined) return fileLayer(candidate, text, schema);
    return role === "named" ? failed("there is no such file") : undefined;
  } catch (reason) {
    return failed(`cannot be read: ${reason instanceof Error ? reason.message : String(reason)}`);
  }
}

/** Models that name a nonexistent profile. */
function danglingProfiles({ config, sources }: MergedConfig): readonly ConfigProblem[] {
  const known = [DEFAULT_PROFILE, ...Object.keys(config.profiles)];
  const source = sources["models"] ?? { kind: "default" };
  return Object.entries(config.models).flatMap(([model, { authProfiles }]) =>
    authProfiles
      .map((profile, index) => ({ profile, location: locationOf(source, "models", [model, "authProfiles", index]) }))
      .filter(({ profile }) => !known.includes(profile))
      .map(({ profile, location }) => ({ location, message: missing(profile, known) })),
  );
}

function missing(profile: string, known: readonly string[]): string {
  const nearest = nearestName(profile, known);
  const hint = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `there is no profile named ${profile}${hint}`;
}
