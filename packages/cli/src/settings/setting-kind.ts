import type { SettingKind } from "@caret/protocol";
import { z } from "zod";
import { entryOf, keyTraits, shapeOf, unwrap } from "../config/key-names.ts";

/** The form field for a setting. */
export function settingKind(schema: z.ZodType): { readonly kind: SettingKind; readonly choices?: readonly string[] } {
  const type = unwrap(schema);
  if (type instanceof z.ZodEnum) return { kind: "choice", choices: type.options.map(String) };
  if (type instanceof z.ZodNumber) return { kind: "number" };
  if (type instanceof z.ZodBoolean) return { kind: "flag" };
  if (type instanceof z.ZodArray) return { kind: type.element instanceof z.ZodObject ? "json" : "list" };
  return { kind: type instanceof z.ZodRecord || type instanceof z.ZodUnion ? "json" : "text" };
}

/** Whether a value is a secret or contains one. */
export function holdsSecret(schema: z.ZodType): boolean {
  if (keyTraits.get(schema)?.secret !== undefined) return true;
  const entry = entryOf(schema);
  return Object.values(shapeOf(schema) ?? {}).some(holdsSecret) || (entry !== undefined && holdsSecret(entry));
}
