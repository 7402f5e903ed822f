import { readFileSync } from "node:fs";

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that a string holds as JSON; undefined when it holds none. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    // Not JSON is an everyday state of prompts, results and files here: the caller has a meaning for it.
    return undefined;
  }
}

/** A JSON object from disk, or undefined when the file is missing, broken or holds no object: the agent then uses its defaults. */
export function readJsonFile(path: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return parseRecord(readFileSync(path, "utf8"));
  } catch {
    // A missing file is an everyday state here; the program that writes it decides whether that is an error.
    return undefined;
  }
}
