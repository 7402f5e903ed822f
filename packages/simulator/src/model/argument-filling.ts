import { isAbsolute, join } from "node:path";
import type { JsonSchema, OfferedTool } from "./model.ts";
import { type SchemaProperty, schemaProperties } from "./schema-properties.ts";
import { type Role, rolesOf } from "./schema-roles.ts";

/** What the model knows and wants to say with a call. */
export type KnownValues = Readonly<Partial<Record<Role, string>>>;

export interface FillOptions {
  /** The client's working directory, where its prompt names it: some tools take absolute paths only. */
  readonly workingDirectory: string | undefined;
  /** A sentence about what the call is for. */
  readonly purpose: string;
  /** The roles without which the call makes no sense: they may go to arguments whose names say nothing. */
  readonly needs: readonly Role[];
  /** The one of several choices that means what is wanted, if one does. */
  readonly choose?: (choices: readonly unknown[]) => unknown;
}

export interface Filled {
  readonly args: Record<string, unknown>;
  /** The tool takes all that is needed, and demands nothing of substance that is not known. */
  readonly isComplete: boolean;
  /** Every needed value went to an argument whose own name says that it is for it. */
  readonly isSure: boolean;
}

/** What a call cannot make up: a tool that demands one of these and is given none does something else. */
const substantial: ReadonlySet<Role> = new Set([
  "path",
  "content",
  "command",
  "oldText",
  "newText",
  "pattern",
  "url",
  "patch",
]);

/** Arguments for a tool of any author: known values where a name or description fits, sensible ones where the schema insists. */
export function fillArguments(tool: OfferedTool, known: KnownValues, options: FillOptions): Filled {
  const filling = new Filling(tool, known, options);
  const args = filling.fill(tool.inputSchema);
  return {
    args,
    isComplete: filling.missing === 0 && options.needs.every((role) => filling.used.has(role)),
    isSure: options.needs.length > 0 && options.needs.every((role) => filling.sure.has(role)),
  };
}

class Filling {
  readonly used = new Set<Role>();
  readonly sure = new Set<Role>();
  /** Required arguments of substance for which there is no value. */
  missing = 0;

  readonly #tool: OfferedTool;
  readonly #known: KnownValues;
  readonly #options: FillOptions;

  constructor(tool: OfferedTool, known: KnownValues, options: FillOptions) {
    this.#tool = tool;
    this.#known = known;
    this.#options = options;
  }

  fill(schema: JsonSchema): Record<string, unknown> {
    const properties = schemaProperties(schema, this.#tool.inputSchema).filter((one) => !isBetterOmitted(one));
    const filled = new Map<string, unknown>();
    this.#fillKnown(properties, filled);
    for (const property of properties.filter(({ name }) => !filled.has(name))) {
      const inner = this.#fillInner(property);
      if (inner !== undefined) filled.set(property.name, inner);
    }
    this.#fillNeeded(properties, filled);
    for (const property of properties.filter(({ name, isRequired }) => isRequired && !filled.has(name)))
      filled.set(property.name, this.#defaultFor(property));
    return Object.fromEntries(properties.flatMap(({ name }) => (filled.has(name) ? [[name, filled.get(name)]] : [])));
  }

  /** First each value goes where it fits best, required arguments before others; then where it fits at all. */
  #fillKnown(properties: readonly SchemaProperty[], filled: Map<string, unknown>): void {
    const inOrder = properties.toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired));
    for (const property of inOrder) this.#fillOne(property, rolesOf(property).roles.slice(0, 1), filled);
    for (const property of inOrder) this.#fillOne(property, rolesOf(property).roles, filled);
  }

  #fillOne(property: SchemaProperty, roles: readonly Role[], filled: Map<string, unknown>): void {
    const role = roles.find((one) => this.#known[one] !== undefined && !this.used.has(one));
    if (role === undefined || filled.has(property.name)) return;
    const value = this.#toValue(property, role);
    if (value === undefined) return;
    filled.set(property.name, value);
    this.used.add(role);
    if (rolesOf(property).isSure) this.sure.add(role);
  }

  /** Objects, and lists of objects: what is still to be said may be said inside of them. */
  #fillInner(property: SchemaProperty): unknown {
    const { type, schema, items, isRequired } = property;
    const inner = type === "array" ? items : type === "object" ? schema : undefined;
    if (inner === undefined || schemaProperties(inner, this.#tool.inputSchema).length === 0) return undefined;
    const before = this.used.size;
    const missing = this.missing;
    const value = this.fill(inner);
    if (!isRequired && this.used.size === before) {
      this.missing = missing;
      return undefined;
    }
    return type === "array" ? [value] : value;
  }

  /** What is needed and has found no place goes to required arguments whose names say nothing, in their order. */
  #fillNeeded(properties: readonly SchemaProperty[], filled: Map<string, unknown>): void {
    const speechless = properties.filter(
      (property) => property.isRequired && !filled.has(property.name) && rolesOf(property).roles.length === 0,
    );
    const open = this.#options.needs.filter((role) => !this.used.has(role));
    for (const [index, role] of open.entries()) {
      const property = speechless[index];
      if (property !== undefined) this.#fillOne(property, [role], filled);
    }
  }

  #toValue(property: SchemaProperty, role: Role): unknown {
    const known = this.#known[role] ?? "";
    const { type, items, schema } = property;
    if (Array.isArray(schema["enum"]) && !schema["enum"].includes(known)) return undefined;
    if (type === "array" && items !== undefined && items["properties"] !== undefined) return undefined;
    const isPath = role === "path" || role === "directory";
    const value = isPath ? toPath(property, known, { tool: this.#tool, ...this.#options }) : known;
    if (type === "array") return role === "command" ? argumentList(property, value) : [value];
    return type === "string" ? value : undefined;
  }

  /** What the schema itself suggests, else something harmless of the right type. */
  #defaultFor(property: SchemaProperty): unknown {
    const { schema, isNullable, type } = property;
    const choices = Array.isArray(schema["enum"]) ? schema["enum"] : [];
    const suggested = [this.#options.choose?.(choices), schema["default"], schema["const"], choices[0]].find(
      (value) => value !== undefined,
    );
    if (suggested !== undefined) return suggested;
    if (isNullable) return null;
    const [first] = rolesOf(property).roles;
    if ((type === "string" || type === "array") && first !== undefined && substantial.has(first)) this.missing += 1;
    return this.#harmlessValue(property);
  }

  #harmlessValue(property: SchemaProperty): unknown {
    switch (property.type) {
      case "array":
        return [];
      case "object":
        return {};
      case "boolean":
        return false;
      case "integer":
      case "number":
        return numberFor(property);
      default: {
        const { roles } = rolesOf(property);
        if (roles.includes("directory")) return this.#options.workingDirectory ?? ".";
        return roles[0] === "glob" ? "*" : this.#options.purpose;
      }
    }
  }
}

/** Some clients refuse an argument that makes sense only beside another one; their schemas say when to leave it out. */
function isBetterOmitted({ isRequired, description }: SchemaProperty): boolean {
  return !isRequired && /\bomit\b/i.test(description);
}

/** A list of words is one command line for a shell; a list named in the plural is several whole commands. */
function argumentList({ name }: SchemaProperty, command: string): readonly string[] {
  return /s$/i.test(name) ? [command] : ["bash", "-lc", command];
}

function toPath(
  { name, description }: SchemaProperty,
  path: string,
  { tool, workingDirectory }: FillOptions & { readonly tool: OfferedTool },
): string {
  const said = `${name.replace(/[_-]/g, " ")} ${description}`;
  const isUri = /\bfile:\/\//i.test(`${said} ${tool.description ?? ""}`);
  const wantsAbsolute =
    isUri ||
    /absolute/i.test(said) ||
    (!/\brelative\b/i.test(said) &&
      (/\babsolute\b/i.test(tool.description ?? "") || /^(?:file_?path|absolute_?path)$/i.test(name)));
  const whole =
    !wantsAbsolute || workingDirectory === undefined || isAbsolute(path) ? path : join(workingDirectory, path);
  return isUri && isAbsolute(whole) ? `file://${whole}` : whole;
}

const SOME_LINES = 2_000;
const A_MINUTE_MS = 60_000;

/** From the beginning, as much as there is, and not for ever. */
function numberFor({ name, description, schema }: SchemaProperty): number {
  const within = (value: number): number =>
    Math.min(Number(schema["maximum"] ?? value), Math.max(Number(schema["minimum"] ?? value), value));
  if (/time_?out|deadline|wait|yield/i.test(name))
    return within(/ms\b|milli/i.test(`${name.replace(/_/g, " ")} ${description}`) ? A_MINUTE_MS : A_MINUTE_MS / 1_000);
  if (/limit|max|end|count|lines|length|size|depth|head/i.test(name)) return within(SOME_LINES);
  const isFromZero = /\b(?:0|zero)[- ](?:based|indexed)\b|\bcharacters?\b|\bbytes?\b/i.test(description);
  return within(/offset|start|from|begin|skip|index/i.test(name) && isFromZero ? 0 : 1);
}
