import { CaretError } from "@caret/protocol";

const fullDisk = new Set(["53100"]);
/** Too many connections, or the server is starting or shutting down. */
const refusing = new Set(["53300", "57P01", "57P02", "57P03"]);
const held = new Set(["55P03", "40P01", "40001", "57014", "25P03"]);
const lost = new Set(["ECONNREFUSED", "ECONNRESET", "ENOENT", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENOTFOUND"]);
/** Login failed, or the user, database or privilege is missing. */
const refused = /^(28|3D|42501)/;
/** A standby, or a server in read-only mode. */
const readOnly = new Set(["25006"]);
/** The schema, table, column or function does not exist. */
const unmade = new Set(["3F000", "42P01", "42703", "42704", "42883"]);
/** Out of memory, or over a server limit. */
const exhausted = /^53/;

/** A commit with unknown outcome: the connection was lost before the server confirmed it. */
export class UnknownCommit extends Error {}

export function isUnknownCommit(reason: unknown): boolean {
  return reason instanceof UnknownCommit || (CaretError.is(reason) && reason.cause instanceof UnknownCommit);
}

/** Converts an error of PostgreSQL or its connection to ours. The message contains no password. */
export function toDatabaseError(reason: unknown): CaretError {
  if (CaretError.is(reason)) return reason;
  const code = codeOf(reason);
  const words = reason instanceof Error ? reason.message : String(reason);
  if (reason instanceof UnknownCommit)
    return new CaretError("storage-failed", `${words}: it may or may not have been written`, {
      cause: reason,
      fix: "Look whether it was done before you send it again.",
    });
  if (readOnly.has(code))
    return new CaretError("storage-failed", "The database takes no writes: it is a standby, or set to read-only", {
      cause: reason,
      retryable: true,
      fix: "After a failover, let the address in `store` lead to the new primary.",
    });
  if (unmade.has(code))
    return new CaretError("storage-failed", `The database lacks something that Caret needs: ${words}`, {
      cause: reason,
      fix: "Run `caret store init` with the address of the database's owner: it makes or updates the tables.",
    });
  if (fullDisk.has(code))
    return new CaretError("storage-full", "The database could not be written: its disk is full", { cause: reason });
  if (held.has(code))
    return new CaretError("overloaded", "Another process holds a row of the database", { cause: reason });
  if (isConnectionLoss(reason))
    return new CaretError("storage-failed", `PostgreSQL cannot be reached: ${words}`, {
      cause: reason,
      retryable: true,
      fix: "Check that the server runs and that the address in `store` leads to it.",
    });
  if (refused.test(code))
    return new CaretError("storage-failed", `PostgreSQL refuses this user: ${words}`, {
      cause: reason,
      fix: "`caret store roles --print` prints the roles and grants that gateways and workers need.",
    });
  // A value that a column rejects is our bug, not the server's failure.
  if (/^2[23]/.test(code)) return CaretError.from(reason);
  return new CaretError("storage-failed", `The database failed: ${words}`, {
    cause: reason,
    retryable: exhausted.test(code),
    fix: "Look into the log of the PostgreSQL server.",
  });
}

export function isDiskFull(reason: unknown): reason is CaretError {
  return CaretError.is(reason) && fullDisk.has(codeOf(reason.cause));
}

/** The server or the connection is gone; the work in progress may or may not be committed. */
export function isConnectionLoss(reason: unknown): boolean {
  const code = codeOf(reason);
  if (lost.has(code) || refusing.has(code) || code.startsWith("08")) return true;
  const { cause } = reason instanceof Error ? reason : {};
  if (cause !== undefined && cause !== reason) return isConnectionLoss(cause);
  return reason instanceof Error && /connection (terminated|ended|timeout)|timeout exceeded/i.test(reason.message);
}

/** Another transaction held the row, or the server aborted this one to resolve a conflict: nothing was written. */
export function isHeld(reason: unknown): boolean {
  return held.has(codeOf(reason)) || (reason instanceof Error && held.has(codeOf(reason.cause)));
}

export function codeOf(reason: unknown): string {
  const code = reason instanceof Error ? (reason as Error & { readonly code?: unknown }).code : undefined;
  return typeof code === "string" ? code : "";
}

/** The table's columns changed after the statement was prepared. It did nothing. */
export function isStalePlan(reason: unknown): boolean {
  if (!(reason instanceof Error)) return false;
  if (codeOf(reason) === "0A000" && reason.message.includes("cached plan")) return true;
  return reason.cause !== undefined && reason.cause !== reason && isStalePlan(reason.cause);
}
