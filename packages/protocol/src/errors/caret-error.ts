import { type ErrorCode, errorCatalogue } from "./error-catalogue.ts";
import type { ErrorInfo } from "./error-info.ts";

const brand: unique symbol = Symbol.for("@caret/CaretError");

export interface CaretErrorOptions {
  readonly cause?: unknown;
  readonly retryable?: boolean;
  /** Overrides the catalogue's fix with something more specific: the nearest model names, the path, the reset date. */
  readonly fix?: string;
  readonly upstream?: string;
  /** Time until the same request can succeed, if known: at midnight for a daily quota, say. */
  readonly retryAfterSeconds?: number;
  /** Whether the failed turn had acted: see `ErrorInfo`. */
  readonly hasActed?: boolean;
}

/**
 * The only error class. Callers branch on `code`, never on `message`.
 *
 * `cause` is for our logs; only the result of `toInfo` may reach a client.
 */
export class CaretError extends Error {
  override readonly name = "CaretError";
  readonly [brand] = true;
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly fix: string;
  readonly upstream: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly hasActed: boolean | undefined;

  constructor(code: ErrorCode, message: string, options: CaretErrorOptions = {}) {
    super(message, { cause: options.cause });
    const entry = errorCatalogue[code];
    this.code = code;
    this.retryable = options.retryable ?? entry.retryable;
    this.fix = options.fix ?? entry.fix;
    this.upstream = options.upstream;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.hasActed = options.hasActed;
  }

  /** Unlike `instanceof`, works across duplicate copies of this package. */
  static is(value: unknown): value is CaretError {
    return value instanceof Error && brand in value;
  }

  /** Converts whatever was thrown to a CaretError; call it once, at a boundary. */
  static from(reason: unknown): CaretError {
    if (CaretError.is(reason)) return reason;
    if (reason instanceof Error && reason.name === "TimeoutError")
      return new CaretError("timed-out", "The operation timed out", { cause: reason });
    if (reason instanceof Error && reason.name === "AbortError")
      return new CaretError("cancelled", "The operation was cancelled", { cause: reason });
    return new CaretError("internal", "Unexpected failure", { cause: reason });
  }

  /** Restores an error that travelled as plain data. */
  static fromInfo({ code, message, ...details }: ErrorInfo, cause?: unknown): CaretError {
    const { retryable, fix, upstream, retryAfterSeconds, hasActed } = details;
    return new CaretError(code, message, {
      cause,
      retryable,
      fix,
      ...(upstream === undefined ? {} : { upstream }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(hasActed === undefined ? {} : { hasActed }),
    });
  }

  toInfo(): ErrorInfo {
    const { code, message, retryable, fix, upstream, retryAfterSeconds, hasActed } = this;
    return {
      ...{ code, message, retryable, fix },
      ...(upstream === undefined ? {} : { upstream }),
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
      ...(hasActed === undefined ? {} : { hasActed }),
    };
  }
}

/** Messages write Caret's commands as `caret …` in backquotes; this rewrites them to the form that works on this machine. */
export function inCommandForm(text: string, command: string): string {
  return command === "caret" ? text : text.replaceAll(/`caret(?= [a-z])/g, `\`${command}`);
}
