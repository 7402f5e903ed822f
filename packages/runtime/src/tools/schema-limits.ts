import { CaretError } from "@caret/protocol";
import type { Options, ValidateFunction } from "ajv";
import { interruptAfter } from "../async/interrupt-after.ts";

/**
 * What compiling a schema costs grows with its objects and their keys: a thousand properties with a type and a description are
 * 4,000. So many take about 60 ms, in which no stream goes on.
 */
const MAX_PARTS = 5_000;
/** The compiler compares each expression with those before it. */
const PARTS_OF_PATTERN = 10;
/** A check is done within a few milliseconds, but patterns and unions may try each way through a value. */
const CHECK_MS = 40;

/**
 * What keeps the compiler's time linear. A definition is compiled once, and not in each place that refers to it; code that runs a
 * few times is not made shorter.
 */
export const linearCompiler: Options = { inlineRefs: false, code: { optimize: false } };

/** Throws for a schema that the event loop would have to wait for, however deep it is nested. */
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

/** Throws when the check takes too long: what has not been checked is not good. */
export function isValid(validate: ValidateFunction, value: unknown): boolean {
  return interruptAfter(CHECK_MS, () => validate(value) === true);
}
