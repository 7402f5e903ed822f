import { isJsonObject, type JsonObject } from "@caret/protocol";
import type { InputValidator } from "../input-validator.ts";
import type { InputSchema } from "../tool.ts";
import { coerceValue, parseJsonObject } from "./coerce-value.ts";
import { isBookkeeping, meansTheSame } from "./field-aliases.ts";

export type RepairedInput =
  | { readonly kind: "valid"; readonly input: unknown; readonly repairs: readonly string[] }
  | { readonly kind: "invalid"; readonly complaints: readonly string[] };

interface Draft {
  readonly input: unknown;
  readonly repairs: readonly string[];
}

type Step = (input: JsonObject, schema: InputSchema) => Draft;

const wrappers: ReadonlySet<string> = new Set(["input", "args", "arguments", "params", "parameters"]);

/**
 * Makes arguments fit the offered schema where only one reading is possible. Input the schema accepts is never touched, a missing argument
 * is never invented, and nothing is valid until the schema accepts it.
 */
export function repairInput(input: unknown, schema: InputSchema, validate: InputValidator): RepairedInput {
  if (validate(input).length === 0) return { kind: "valid", input, repairs: [] };
  let draft = toObject(input);
  for (const step of [unwrap, renameFields, coerceFields, dropFields] satisfies readonly Step[]) {
    if (!isJsonObject(draft.input)) break;
    const next = step(draft.input, schema);
    draft = { input: next.input, repairs: [...draft.repairs, ...next.repairs] };
  }
  const complaints = validate(draft.input);
  return complaints.length === 0 ? { kind: "valid", ...draft } : { kind: "invalid", complaints };
}

function toObject(input: unknown): Draft {
  if (input === undefined || input === null) return { input: {}, repairs: ["missing arguments were taken for none"] };
  const parsed = parseJsonObject(input);
  return parsed === undefined
    ? { input, repairs: [] }
    : { input: parsed, repairs: ["read the arguments from a string"] };
}

const unwrap: Step = (input, schema) => {
  const [key, ...others] = Object.keys(input);
  if (key === undefined || others.length > 0 || !wrappers.has(key) || isKnown(key, schema)) return kept(input);
  const inner = isJsonObject(input[key]) ? input[key] : parseJsonObject(input[key]);
  return inner === undefined ? kept(input) : { input: inner, repairs: [`took the arguments out of \`${key}\``] };
};

/** Renames only one-to-one: not if two arguments could become the same property, or one could become two. */
const renameFields: Step = (input, schema) => {
  const strangers = Object.keys(input).filter((key) => !isKnown(key, schema));
  const targets = new Map(strangers.map((key) => [key, targetsOf(key, input, schema)] as const));
  const wanted = [...targets.values()].flat();
  const renames = new Map<string, string>();
  for (const [key, [target, ...others]] of targets) {
    const isOnly = target !== undefined && others.length === 0 && wanted.indexOf(target) === wanted.lastIndexOf(target);
    if (isOnly) renames.set(key, target);
  }
  return {
    input: Object.fromEntries(Object.entries(input).map(([key, value]) => [renames.get(key) ?? key, value])),
    repairs: [...renames].map(([key, target]) => `renamed \`${key}\` to \`${target}\``),
  };
};

/**
 * The properties an unknown argument could be another name of. A schema that allows additional arguments may intend it, so there only a
 * missing required property counts.
 */
function targetsOf(key: string, input: JsonObject, schema: InputSchema): readonly string[] {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.keys(propertiesOf(schema)).filter(
    (name) => !Object.hasOwn(input, name) && (isClosed(schema) || required.includes(name)) && meansTheSame(key, name),
  );
}

const coerceFields: Step = (input, schema) => {
  const repairs: string[] = [];
  return { input: coerceValue(input, schema, { where: "", note: (repair) => repairs.push(repair) }), repairs };
};

/**
 * Drops unknown arguments that a closed schema does not allow, if that cannot change the effect: empty ones, descriptions, and duplicates
 * of another argument. `append` or `dry_run` must not vanish.
 */
const dropFields: Step = (input, schema) => {
  if (!isClosed(schema)) return kept(input);
  const dropped = Object.keys(input).filter((key) => !isKnown(key, schema) && isDispensable(key, input));
  return {
    input: Object.fromEntries(Object.entries(input).filter(([key]) => !dropped.includes(key))),
    repairs: dropped.map((key) => `left out \`${key}\`, which the tool does not take`),
  };
};

function isDispensable(key: string, input: JsonObject): boolean {
  const value = input[key];
  if (value === null || value === undefined || value === false || value === "" || isBookkeeping(key)) return true;
  return Object.keys(input).some((other) => other !== key && meansTheSame(other, key) && input[other] === value);
}

function kept(input: JsonObject): Draft {
  return { input, repairs: [] };
}

function isKnown(key: string, schema: InputSchema): boolean {
  return Object.hasOwn(propertiesOf(schema), key);
}

/** Whether the schema lists every allowed argument. */
function isClosed(schema: InputSchema): boolean {
  return schema["additionalProperties"] === false && schema["patternProperties"] === undefined;
}

function propertiesOf(schema: InputSchema): JsonObject {
  return isJsonObject(schema["properties"]) ? schema["properties"] : {};
}
