import { CaretError } from "@caret/protocol";
import type { z } from "zod";

/** Parses the parts of a body that a door reads. Throws `invalid-request`, naming the first invalid field. */
export function readBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.infer<Schema> {
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw invalidRequest("The body must be a JSON object");
  return readPart(schema, body, "");
}

/** The same for something inside a body, at `path`. */
export function readPart<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw invalidRequest(`${toPath(path, issue?.path ?? [])}: ${issue?.message ?? "is not valid"}`);
}

export function invalidRequest(message: string): CaretError {
  return new CaretError("invalid-request", message);
}

/** Formats a path like `messages[2].content`. */
function toPath(start: string, steps: readonly PropertyKey[]): string {
  return steps.reduce<string>((path, step) => {
    if (typeof step === "number") return `${path}[${step}]`;
    return path === "" ? String(step) : `${path}.${String(step)}`;
  }, start);
}
