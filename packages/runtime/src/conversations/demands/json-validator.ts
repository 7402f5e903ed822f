import { CaretError } from "@caret/protocol";
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { assertSmallSchema, isValid, linearCompiler } from "../../tools/schema-limits.ts";

/** Describes what is wrong with a value; undefined if it is valid. */
export type JsonValidator = (value: unknown) => string | undefined;

type Draft = "draft-07" | "2019-09" | "2020-12";

/**
 * Unknown keywords and formats are tolerated: clients use extensions. All errors are collected: otherwise each property is nested in the
 * previous one, and a schema with a thousand of them exhausts the stack.
 */
const options: Options = { ...linearCompiler, strict: false, logger: false, allErrors: true };

const KEPT_VALIDATORS = 50;
const MAX_PROBLEM = 500;

/** Returns the validator of the schema found in this field of a request. */
export type JsonValidators = (schema: unknown, field: string) => JsonValidator;

/** Compiles request schemas and caches them, because clients send the same ones repeatedly. Throws `invalid-request`, naming the field. */
export function createJsonValidators(): JsonValidators {
  const kept = new Map<string, ValidateFunction>();
  const compilers = new Map<Draft, Ajv>();

  const compileNewly = (schema: unknown): ValidateFunction => {
    const draft = draftOf(schema);
    assertSmallSchema(schema);
    const ajv = compilers.get(draft) ?? createCompiler(draft);
    // A compiler that failed is in an unknown state.
    compilers.delete(draft);
    const { $schema: _draft, $async: _async, ...rest } = schema as Readonly<Record<string, unknown>>;
    const own = typeof schema === "boolean" ? schema : rest;
    const validate = ajv.compile(own);
    // Registered only during compilation, so it can refer to itself (`#`); another schema may have the same id.
    if (typeof own === "object") ajv.removeSchema(own);
    compilers.set(draft, ajv);
    return validate;
  };

  const compile = (schema: unknown): ValidateFunction => {
    const key = JSON.stringify(schema);
    const validate = kept.get(key) ?? compileNewly(schema);
    kept.delete(key);
    kept.set(key, validate);
    const [oldest] = kept.keys();
    if (kept.size > KEPT_VALIDATORS && oldest !== undefined) kept.delete(oldest);
    return validate;
  };

  return (schema, field) => {
    const validate = compiled(() => compile(schema), field);
    return (value) => complaint(validate, value);
  };
}

function draftOf(schema: unknown): Draft {
  if (typeof schema === "boolean") return "2020-12";
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) throw new Error("it is no object");
  const named = ("$schema" in schema && schema.$schema) || "2020-12";
  const draft = (["draft-07", "2019-09", "2020-12"] as const).find((known) => String(named).includes(known));
  if (draft === undefined) throw new Error("its $schema is none of draft-07, 2019-09 and 2020-12");
  return draft;
}

function createCompiler(draft: Draft): Ajv {
  const ajv =
    draft === "draft-07" ? new Ajv(options) : draft === "2019-09" ? new Ajv2019(options) : new Ajv2020(options);
  addFormats.default(ajv);
  return ajv;
}

function compiled(compile: () => ValidateFunction, field: string): ValidateFunction {
  try {
    return compile();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.slice(0, MAX_PROBLEM) : "it cannot be compiled";
    throw new CaretError(
      "invalid-request",
      `${field}: is no JSON Schema that an answer can be checked against: ${why}`,
      {
        cause,
      },
    );
  }
}

function complaint(validate: ValidateFunction, value: unknown): string | undefined {
  try {
    if (isValid(validate, value)) return undefined;
  } catch {
    // Interrupted: an unchecked value must not be passed on.
    return "it could not be checked against the schema in time";
  }
  const [error] = validate.errors ?? [];
  return error === undefined ? "it does not match the schema" : toComplaint(error);
}

function toComplaint({ instancePath, message, params, keyword }: ErrorObject): string {
  const detail = keyword === "additionalProperties" || keyword === "enum" ? ` ${JSON.stringify(params)}` : "";
  const where = instancePath === "" ? "the value" : `its ${instancePath}`;
  return `${where} ${message ?? "does not match the schema"}${detail}`.slice(0, MAX_PROBLEM);
}
