import { z } from "zod";
import { errorCodes } from "./error-catalogue.ts";

/** An error as it travels: plain JSON, already redacted, with what to do about it. */
export const errorInfoSchema = z.object({
  code: z.enum(errorCodes),
  /** What failed, in a sentence of ours. */
  message: z.string(),
  /** Whether the same request may succeed when it is sent again, and does nothing a second time. */
  retryable: z.boolean(),
  /** What the person should do. */
  fix: z.string(),
  /** The upstream's own words (the tail of stderr, for instance). */
  upstream: z.string().optional(),
  /** From the moment of the failure on, where the time is known from which the same request can succeed. */
  retryAfterSeconds: z.int().nonnegative().optional(),
  /**
   * Whether the turn that failed had acted: a tool was run or handed out, words were said, or nobody can say that none of it
   * happened. Absent: it had not, or it was no turn that failed. An `interrupted` turn that surely had not says `false`.
   */
  hasActed: z.boolean().optional(),
});

export type ErrorInfo = Readonly<z.infer<typeof errorInfoSchema>>;

/** The failure of a turn that had acted: no program may send its request again, which would do everything a second time. */
export function afterActing(error: ErrorInfo): ErrorInfo {
  if (error.hasActed === true) return error;
  const fix = error.retryable ? `${error.fix} The turn had begun its work: see first what it has done.` : error.fix;
  return { ...error, retryable: false, fix, hasActed: true };
}
