import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord, parseRecord } from "../json/json.ts";
import { type CatalogueModel, defaultModelId } from "./model-catalogue.ts";

export interface CliConfig {
  /** The model last picked on the screen: what a run without `--model` uses. */
  readonly modelId: string;
}

/** Reads `cli-config.json`; writes it on the first start, and puts a broken one aside as `.bad`. */
export function loadCliConfig(configDir: string): CliConfig {
  const path = join(configDir, "cli-config.json");
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    // Not there (or not readable, which the write below will report): a first start.
    return writeFresh(path, configDir);
  }
  const config = parseRecord(text);
  if (config !== undefined) return { modelId: readModelId(config) };
  renameSync(path, `${path}.bad`);
  return writeFresh(path, configDir);
}

function readModelId(config: Readonly<Record<string, unknown>>): string {
  for (const key of ["model", "selectedModel"]) {
    const model = config[key];
    if (isRecord(model) && typeof model["modelId"] === "string") return model["modelId"];
  }
  return defaultModelId;
}

function writeFresh(path: string, configDir: string): CliConfig {
  const model: CatalogueModel = { id: defaultModelId, name: "Composer 2.5 Fast" };
  const config = {
    version: 1,
    editor: { vimMode: false },
    permissions: { allow: ["Shell(ls)"], deny: [] },
    approvalMode: "allowlist",
    sandbox: { mode: "disabled", networkAccess: "user_config_with_defaults" },
    model: {
      modelId: model.id,
      displayModelId: model.id,
      displayName: model.name,
      displayNameShort: model.name,
      aliases: [],
      maxMode: false,
    },
    hasChangedDefaultModel: false,
    network: { useHttp1ForAgent: false },
  };
  mkdirSync(configDir, { recursive: true });
  // Parallel first starts share this directory, so each writes its own file and the last rename wins. Not named after the
  // process: in a pid namespace of their own all of them have the same number.
  const draft = `${path}.${randomUUID()}.tmp`;
  writeFileSync(draft, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
  return { modelId: model.id };
}
