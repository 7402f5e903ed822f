import { permissionWords, sandboxWords } from "@caret/protocol";
import { z } from "zod";

const MAX_LINE = 500;

/** A word from a list. */
export const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, { error: `must be one of ${words.join(", ")}` });

/** Fields of JSON bodies. */
export const text = z.string({ error: "must be a string" });
export const filled = text.min(1, { error: "must not be empty" });
export const line = text.max(MAX_LINE, { error: `must be at most ${MAX_LINE} characters` });
export const notBlank = text.regex(/\S/, { error: "must not be blank" });
export const flag = z.boolean({ error: "must be true or false" });
export const permission = oneOf(permissionWords);
export const sandbox = oneOf(sandboxWords);

/** Fields of a query string, where all values are strings and a repeated one is an array. */
export const queryText = z.string({
  error: ({ input }) => (input === undefined ? "is required" : "must not be repeated"),
});
export const queryFlag = z
  .enum(["true", "false"], { error: "must be true or false" })
  .transform((word) => word === "true");
export const queryNumber = queryText.regex(/^\d{1,15}$/, { error: "must be a whole number" }).transform(Number);
export const queryNumberUpTo = (most: number) =>
  queryNumber.refine((value) => value >= 1 && value <= most, { error: `must be from 1 to ${most}` });
export const rawFlag = queryFlag.describe("`true`: with the agent's own lines");
