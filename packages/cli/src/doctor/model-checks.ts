import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { LaneName } from "@caret/protocol";
import { groupModels, resolveModel } from "@caret/runtime";
import { z } from "zod";
import type { Config } from "../config/config-schema.ts";
import type { Finding } from "./finding.ts";

const keptSchema = z.object({ models: z.array(z.object({ id: z.string() })) });

/** The ids of the list that is kept for a lane; undefined when there is none, or it is damaged. */
export function keptModelIds(config: Config, lane: LaneName): readonly string[] | undefined {
  const file = keptFile(config, lane);
  if (!existsSync(file)) return undefined;
  try {
    return keptSchema.parse(JSON.parse(readFileSync(file, "utf8"))).models.map(({ id }) => id);
  } catch {
    return undefined; // `checkKeptModels` says that it is damaged
  }
}

/** A damaged list is replaced by the next one that is fetched; until then names cannot be looked up. */
export function checkKeptModels(config: Config, lane: LaneName): readonly Finding[] {
  const file = keptFile(config, lane);
  if (!existsSync(file) || keptModelIds(config, lane) !== undefined) return [];
  return [
    {
      check: "kept models",
      state: "warn",
      detail: `${file} is damaged`,
      fix: "caret models --refresh",
      mend: () => rmSync(file, { force: true }),
    },
  ];
}

/** Without a list upstream decides about names, so there is nothing to find. */
export function checkDefaultModel({ model, models }: Config, ids: readonly string[] | undefined): readonly Finding[] {
  if (ids === undefined || Object.hasOwn(models, model)) return [];
  try {
    resolveModel({ model }, groupModels(ids));
    return [];
  } catch {
    // What is wrong with the name is the finding.
    const fix = "Set `model` to one that `caret models` lists, or to auto.";
    return [{ check: "default model", state: "fail", detail: `Cursor lists no ${model}`, fix }];
  }
}

function keptFile({ dataDir }: Config, lane: LaneName): string {
  return join(dataDir, "models", `${lane}.json`);
}
