import { isAbsolute, join } from "node:path";
import type { JsonSchema, OfferedTool } from "./model.ts";
import { type Role, roleOf, type SchemaProperty, schemaProperties } from "./schema-roles.ts";

/** What the model knows and wants to say with a call. */
export type KnownValues = Readonly<Partial<Record<Role, string>>>;

export interface FillOptions {
  /** The client's working directory, where its prompt tells it: some tools take absolute paths only. */
  readonly workingDirectory: string | undefined;
  /** A sentence about what the call is for. */
  readonly purpose: string;
}

/** Arguments for a tool of any author: known values where a name fits, sensible ones where the schema insists. */
export function fillArguments(tool: OfferedTool, known: KnownValues, options: FillOptions): Record<string, unknown> {
  return fillObject(tool.inputSchema, known, options);
}

function fillObject(schema: JsonSchema, known: KnownValues, options: FillOptions): Record<string, unknown> {
  const filled: Record<string, unknown> = {};
  const used = new Set<Role>();
  for (const property of schemaProperties(schema)) {
    if (isBetterOmitted(property)) continue;
    const role = roleOf(property.name).find((name) => known[name] !== undefined && !used.has(name));
    const value = role === undefined ? undefined : toValue(property, role, known[role] ?? "", options);
    if (role !== undefined && value !== undefined) {
      used.add(role);
      filled[property.name] = value;
    } else if (property.isRequired) {
      filled[property.name] = defaultFor(property, known, options);
    }
  }
  return filled;
}

/** Some clients refuse an argument that makes sense only beside another one; their schemas say when to leave it out. */
function isBetterOmitted({ isRequired, description }: SchemaProperty): boolean {
  return !isRequired && /\bomit\b/i.test(description);
}

function toValue(property: SchemaProperty, role: Role, value: string, options: FillOptions): unknown {
  if (property.type === "array") return role === "command" ? argumentList(property, value) : [value];
  if (property.type !== "string") return undefined;
  return role === "path" || role === "directory" ? toPath(property, value, options) : value;
}

/** A list of words is one command line for a shell; a list named in the plural is several whole commands. */
function argumentList({ name }: SchemaProperty, command: string): readonly string[] {
  return name.endsWith("s") ? [command] : ["bash", "-lc", command];
}

function toPath({ name, description }: SchemaProperty, path: string, { workingDirectory }: FillOptions): string {
  const wantsAbsolute = /absolute/i.test(description) || /^(?:file_?path|absolute_?path)$/i.test(name);
  if (!wantsAbsolute || workingDirectory === undefined || isAbsolute(path)) return path;
  return join(workingDirectory, path);
}

/** What the schema itself suggests, else something harmless of the right type. */
function defaultFor(property: SchemaProperty, known: KnownValues, options: FillOptions): unknown {
  const { schema } = property;
  const choices = Array.isArray(schema["enum"]) ? schema["enum"][0] : undefined;
  return schema["default"] ?? schema["const"] ?? choices ?? harmlessValue(property, known, options);
}

function harmlessValue(property: SchemaProperty, known: KnownValues, options: FillOptions): unknown {
  const { type, schema, name, items } = property;
  switch (type) {
    case "boolean":
      return false;
    case "integer":
    case "number":
      return Math.max(1, Number(schema["minimum"] ?? 1));
    case "array":
      return items?.["properties"] === undefined ? [] : [fillObject(items, known, options)];
    case "object":
      return fillObject(schema, known, options);
    default:
      return roleOf(name).includes("directory") ? (options.workingDirectory ?? ".") : options.purpose;
  }
}
