import { z } from "zod";

/** Milliseconds since 1970; some versions write them as text, in digits or as a date. Anything else is not known. */
export const chatTime = z
  .union([z.number(), z.string().transform(toMilliseconds)])
  .optional()
  .catch(undefined);

function toMilliseconds(text: string): number | undefined {
  const time = /^\s*\d+\s*$/.test(text) ? Number(text) : Date.parse(text);
  return Number.isFinite(time) ? time : undefined;
}
