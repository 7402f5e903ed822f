import { z } from "zod";
import { errorCodes } from "./error-catalogue.ts";

/** An error as sent to clients: plain JSON, already redacted, with what to do about it. */
export const errorInfoSchema = z.object({
  code: z.enum(errorCodes),
  /** What failed, in a sentence written by us. */
  message: z.string(),
  /** Whether resending the same request may succeed without doing anything twice. */
  retryable: z.boolean(),
  /** What the person should do. */
  fix: z.string(),
  /** The upstream's own words (the tail of stderr, say). */
  upstream: z.string().optional(),
  /** Seconds from the failure until the same request can succeed, if known. */
  retryAfterSeconds: z.int().nonnegative().optional(),
  /**
   * Whether the failed turn had acted: a tool was run or handed out, something was said, or neither can be ruled out. Absent: it had not,
   * or the failure was not a turn's. An `interrupted` turn that certainly had not says `false`.
   */
  hasActed: z.boolean().optional(),
});

export type ErrorInfo = Readonly<z.infer<typeof errorInfoSchema>>;

/** Marks the failure of a turn that had acted: no program may resend its request, which would do everything twice. */
export function afterActing(error: ErrorInfo): ErrorInfo {
  if (error.hasActed === true) return error;
  const fix = error.retryable ? `${error.fix} The turn had begun its work: see first what it has done.` : error.fix;
  return { ...error, retryable: false, fix, hasActed: true };
}
