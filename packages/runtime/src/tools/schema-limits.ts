import { CaretError } from "@caret/protocol";
import type { Options, ValidateFunction } from "ajv";
import { interruptAfter } from "../async/interrupt-after.ts";

/**
 * Compile time grows with a schema's objects and their keys: a thousand properties with a type and a description are 4,000. The limit takes
 * about 60 ms, during which no stream progresses.
 */
const MAX_PARTS = 5_000;
/** The compiler compares each expression with all earlier ones. */
const PARTS_OF_PATTERN = 10;
/** A check takes a few milliseconds, but patterns and unions can backtrack. */
const CHECK_MS = 40;

/**
 * Keeps compile time linear: a definition is compiled once rather than at each reference, and code that runs only a few times is not
 * optimized.
 */
export const linearCompiler: Options = { inlineRefs: false, code: { optimize: false } };

/** Throws for a schema that would block the event loop, at any nesting depth. */
export function assertSmallSchema(schema: unknown): void {
  const waiting = [schema].filter(isObject);
  let parts = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const value of Object.values(next)) if (isObject(value)) waiting.push(value);
    parts += partsOf(next);
    if (parts > MAX_PARTS)
      throw new CaretError("invalid-request", `it has more than ${MAX_PARTS} parts (objects and their keys)`);
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function partsOf(object: object): number {
  if (Array.isArray(object)) return 0;
  const { pattern, patternProperties } = object as Readonly<Record<string, unknown>>;
  const patterns = Object.keys(Object(patternProperties)).length + (pattern === undefined ? 0 : 1);
  return 1 + Object.keys(object).length + PARTS_OF_PATTERN * patterns;
}

/** Throws if the check takes too long: unchecked input is not valid. */
export function isValid(validate: ValidateFunction, value: unknown): boolean {
  return interruptAfter(CHECK_MS, () => validate(value) === true);
}
