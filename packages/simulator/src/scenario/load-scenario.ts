import { readFileSync } from "node:fs";
import { z } from "zod";
import { CliFailure } from "../process/cli-failure.ts";
import { type Scenario, scenarioSchema } from "./scenario.ts";

/** Reads a scenario file, JSON or YAML by its name; a bad one fails before anything is simulated. */
export async function loadScenario(path: string): Promise<Scenario> {
  const parsed = scenarioSchema.safeParse(await parseFile(path));
  if (parsed.success) return parsed.data;
  throw new CliFailure(`Error: ${path} is not a scenario.\n${z.prettifyError(parsed.error)}`);
}

async function parseFile(path: string): Promise<unknown> {
  try {
    const text = readFileSync(path, "utf8");
    if (!/\.ya?ml$/.test(path)) return JSON.parse(text);
    // Loaded on demand: most scenarios are JSON, and the boot is timed.
    const { parse } = await import("yaml");
    return parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CliFailure(`Error: ${path} cannot be read as a scenario: ${reason}`, { cause: error });
  }
}
