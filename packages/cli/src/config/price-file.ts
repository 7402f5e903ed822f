import { dirname, join } from "node:path";
import { CaretError, type PriceRow } from "@caret/protocol";
import { z } from "zod";
import type { Host } from "../host/host.ts";
import { readConfigFile, userConfigPath } from "./config-paths.ts";

const dollars = z.number({ error: "must be a number" }).nonnegative({ error: "must not be negative" });
const tokenPrices = { input: dollars, output: dollars, cacheRead: dollars.optional(), cacheWrite: dollars.optional() };

const priceFileSchema = z.strictObject({
  /** Where the figures come from, for a person who asks. */
  source: z.string({ error: "must be a string" }).min(1),
  asOf: z.iso.date({ error: "must be a date such as 2026-11-17" }),
  prices: z.array(
    z.strictObject({
      model: z
        .string({ error: "must be a string" })
        .regex(/^[^*\s]+\*?$/, { error: "must be a model's id, perhaps with * at its end" }),
      ...tokenPrices,
      fast: z.boolean({ error: "must be true or false" }).default(false),
      longPrompt: z
        .strictObject({ above: z.int({ error: "must be a whole number" }).positive(), ...tokenPrices })
        .optional(),
    }),
  ),
});

type FilePrices = Pick<z.infer<typeof priceFileSchema>["prices"][number], keyof typeof tokenPrices>;

/** Beside the user's own settings, where a project cannot put one. */
export function priceFilePath(host: Pick<Host, "env" | "home" | "platform">): string {
  return join(dirname(userConfigPath(host)), "prices.json");
}

/** The rows of the user's `prices.json`; empty if there is no file. Throws with every error in it. */
export function loadPriceUpdates(host: Pick<Host, "env" | "home" | "platform">): readonly PriceRow[] {
  const path = priceFilePath(host);
  const text = readConfigFile(path);
  if (text === undefined) return [];
  const { data, error } = priceFileSchema.safeParse(parsed(text, path));
  if (data === undefined)
    throw wrong(
      path,
      (error?.issues ?? []).map(({ path: at, message }) => `${at.join(".") || "the file"}: ${message}`),
    );
  const source = { name: data.source, asOf: data.asOf };
  return data.prices.map(({ model, fast, longPrompt, ...prices }) => ({
    base: model.toLowerCase(),
    ...known(prices),
    ...(fast ? { fast } : {}),
    ...(longPrompt === undefined ? {} : { longPrompt: { above: longPrompt.above, ...known(longPrompt) } }),
    source,
  }));
}

function known({ input, output, cacheRead, cacheWrite }: FilePrices) {
  return {
    input,
    output,
    ...(cacheRead === undefined ? {} : { cacheRead }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (reason) {
    throw wrong(path, [reason instanceof Error ? reason.message : "it is not JSON"]);
  }
}

function wrong(path: string, problems: readonly string[]): CaretError {
  return new CaretError("invalid-config", `${path}: ${problems.join("; ")}`, {
    fix: "Correct the file as docs/models.md describes it, or remove it: then the table of list prices holds.",
  });
}
