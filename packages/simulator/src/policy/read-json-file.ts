import { readFileSync } from "node:fs";

/** A JSON object from disk, or nothing when the file is missing, broken or no object: the agent then uses its defaults. */
export function readJsonFile(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isRecord(value) ? value : undefined;
  } catch {
    // A missing or broken file is an everyday state here; whoever writes it decides whether that is an error.
    return undefined;
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
