import { z } from "zod";
import { errorCodes } from "./error-catalogue.ts";

/** An error as it travels: plain JSON, already redacted, with what to do about it. */
export const errorInfoSchema = z.object({
  code: z.enum(errorCodes),
  /** What failed, in a sentence of ours. */
  message: z.string(),
  retryable: z.boolean(),
  /** What the person should do. */
  fix: z.string(),
  /** The upstream's own words (the tail of stderr, for instance). */
  upstream: z.string().optional(),
  /** From the moment of the failure on, where the time is known from which the same request can succeed. */
  retryAfterSeconds: z.int().nonnegative().optional(),
});

export type ErrorInfo = Readonly<z.infer<typeof errorInfoSchema>>;
