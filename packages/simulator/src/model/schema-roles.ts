import { isRecord } from "../policy/read-json-file.ts";
import type { JsonSchema } from "./model.ts";

/** What an argument is for, whatever its author called it. */
export type Role =
  | "path"
  | "directory"
  | "content"
  | "command"
  | "oldText"
  | "newText"
  | "pattern"
  | "url"
  | "patch"
  | "note";

export interface SchemaProperty {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
  /** What a list holds. */
  readonly items: JsonSchema | undefined;
}

const roleNames: ReadonlyArray<readonly [Role, RegExp]> = [
  ["path", /^(?:file|path|filename|filepath|targetfile|absolutepath|absolutefilepath|fileuri|notebookpath)$/],
  ["directory", /^(?:dir|directory|path|dirpath|directorypath|targetdirectory|relativeworkspacepath|folder|workdir)$/],
  ["content", /^(?:content|contents|text|filetext|filecontent|data|body|codeedit|newcontent)$/],
  ["command", /^(?:command|cmd|script|commands|shellcommand|commandline)$/],
  ["oldText", /^(?:old|oldstring|oldstr|oldtext|oldcontent|search|find|searchtext|target)$/],
  ["newText", /^(?:new|newstring|newstr|newtext|replace|replacement|replacewith|replacetext)$/],
  ["pattern", /^(?:pattern|query|regex|regexp|search|q|glob|globpattern|searchterm|searchquery|searchpattern)$/],
  ["url", /^(?:url|uri|href|link)$/],
  ["patch", /^(?:patch|input|diff|patchtext)$/],
  ["note", /^(?:description|explanation|reason|justification|rationale|purpose|summary|toolcalldescription)$/],
];

/** A name can serve several purposes: `path` is a file here and a directory there. */
export function roleOf(name: string): readonly Role[] {
  const plain = name.toLowerCase().replace(/[^a-z0-9]/g, "");
  return roleNames.filter(([, pattern]) => pattern.test(plain)).map(([role]) => role);
}

export function schemaProperties(schema: JsonSchema): readonly SchemaProperty[] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, value]) => {
    const property = isRecord(value) ? value : {};
    return {
      name,
      type: typeOf(property),
      description: typeof property["description"] === "string" ? property["description"] : "",
      isRequired: required.includes(name),
      schema: property,
      items: isRecord(property["items"]) ? property["items"] : undefined,
    };
  });
}

/** The first type that is not null, looking into unions where the schema has no type of its own. */
function typeOf(schema: JsonSchema): string {
  const { type, anyOf, oneOf } = schema;
  if (typeof type === "string") return type;
  const choices = Array.isArray(type) ? type : [];
  const union = [...(Array.isArray(anyOf) ? anyOf : []), ...(Array.isArray(oneOf) ? oneOf : [])];
  const all = [...choices, ...union.filter(isRecord).map((choice) => choice["type"])];
  return all.find((choice): choice is string => typeof choice === "string" && choice !== "null") ?? "string";
}
