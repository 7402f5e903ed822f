import { CaretError } from "@caret/protocol";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { didYouMean } from "../models/did-you-mean.ts";
import { assertSmallSchema, isValid, linearCompiler } from "./schema-limits.ts";
import type { InputSchema } from "./tool.ts";

const MAX_COMPLAINTS = 5;
/** Complaints beyond this number are only counted. */
const MAX_WORDED = 50;

/** Foreign schemas come in every state: unknown keywords are ignored, and formats are hints. */
const options: Options = {
  ...linearCompiler,
  allErrors: true,
  strict: false,
  validateFormats: false,
  verbose: true,
};

/** Returns every complaint about the input: where, and what was expected. Empty if the input is valid. */
export type InputValidator = (input: unknown) => readonly string[];

/** Compiles each schema once, on first use. */
export function createInputValidators(): (schema: InputSchema) => InputValidator {
  const draft07 = new Ajv(options);
  const draft2020 = new Ajv2020(options);
  const compiled = new WeakMap<InputSchema, ValidateFunction>();
  return (schema) => {
    const isOld = String(schema["$schema"] ?? "").includes("draft-07");
    const validate = compiled.get(schema) ?? compile(isOld ? draft07 : draft2020, schema);
    compiled.set(schema, validate);
    return (input) => complaintsOf(validate, input);
  };
}

function compile(ajv: Ajv | Ajv2020, schema: InputSchema): ValidateFunction {
  try {
    assertSmallSchema(schema);
    return ajv.compile(schema);
  } catch (cause) {
    throw new CaretError("protocol-violation", "The tool's own input schema cannot be used", { cause });
  } finally {
    // Registered only during compilation, so it can refer to itself (`#`): another server may use the same `$id`.
    ajv.removeSchema(schema);
  }
}

function complaintsOf(validate: ValidateFunction, input: unknown): readonly string[] {
  try {
    return isValid(validate, input) ? [] : complaints(validate.errors ?? []);
  } catch {
    // Interrupted: unchecked input is not passed on.
    return ["input could not be checked against the schema in time"];
  }
}

function complaints(errors: readonly ErrorObject[]): readonly string[] {
  const distinct = [...new Set(errors.slice(0, MAX_WORDED).map(toComplaint))];
  const rest = distinct.length + Math.max(0, errors.length - MAX_WORDED) - MAX_COMPLAINTS;
  return rest > 0 ? [...distinct.slice(0, MAX_COMPLAINTS), `and ${rest} more`] : distinct;
}

function toComplaint({ instancePath, keyword, params, message, parentSchema, data }: ErrorObject): string {
  const where = `input${instancePath.replaceAll("/", ".")}`;
  switch (keyword) {
    case "required":
      return `${where}.${params["missingProperty"]} is missing`;
    case "additionalProperties": {
      const known = Object.keys((parentSchema?.["properties"] as object | undefined) ?? {});
      const unknown = String(params["additionalProperty"]);
      return `${where}.${unknown} is unknown. ${didYouMean(unknown, known)}Known are ${known.join(", ") || "none"}`;
    }
    case "enum":
      return `${where} must be one of ${(params["allowedValues"] as unknown[]).map((value) => JSON.stringify(value)).join(", ")}`;
    case "type":
      return `${where} ${message}, not ${typeName(data)}`;
    default:
      return `${where} ${message}`;
  }
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a value of type ${typeof value}`;
}
