import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { LaneName } from "@caret/protocol";
import { groupModels, resolveModel } from "@caret/runtime";
import { z } from "zod";
import type { Config } from "../config/config-schema.ts";
import type { Finding } from "./finding.ts";

const keptSchema = z.object({ models: z.array(z.object({ id: z.string() })) });

/** The cached model ids of a lane; undefined if there is no list or it is damaged. */
export function keptModelIds(config: Config, lane: LaneName): readonly string[] | undefined {
  const file = keptFile(config, lane);
  if (!existsSync(file)) return undefined;
  try {
    return keptSchema.parse(JSON.parse(readFileSync(file, "utf8"))).models.map(({ id }) => id);
  } catch {
    return undefined; // `checkKeptModels` reports the damage
  }
}

/** The next fetch replaces a damaged list; until then names cannot be looked up. */
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

/** Without a list upstream decides about names, so there is nothing to check. */
export function checkDefaultModel({ model, models }: Config, ids: readonly string[] | undefined): readonly Finding[] {
  if (ids === undefined || Object.hasOwn(models, model)) return [];
  try {
    resolveModel({ model }, groupModels(ids));
    return [];
  } catch {
    // An invalid name is the finding.
    const fix = "Set `model` to one that `caret models` lists, or to auto.";
    return [{ check: "default model", state: "fail", detail: `Cursor lists no ${model}`, fix }];
  }
}

function keptFile({ dataDir }: Config, lane: LaneName): string {
  return join(dataDir, "models", `${lane}.json`);
}
