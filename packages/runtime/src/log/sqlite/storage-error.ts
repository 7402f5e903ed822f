import { CaretError } from "@caret/protocol";

const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const SQLITE_PROTOCOL = 15;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_NOTADB = 26;
const fullDiskCodes: readonly unknown[] = ["ENOSPC", "EDQUOT"];

/** Converts what SQLite or the file system threw to a CaretError. A call that ended here acknowledged nothing. */
export function toStorageError(reason: unknown): CaretError {
  if (CaretError.is(reason)) return reason;
  if (primaryCode(reason) === SQLITE_FULL || fullDiskCodes.includes(property(reason, "code")))
    return new CaretError("storage-full", "The event log could not be written: the disk is full", { cause: reason });
  if (isBusy(reason)) return new CaretError("overloaded", "Another process holds the event log", { cause: reason });
  if (isValueFault(reason)) return CaretError.from(reason);
  const words = reason instanceof Error ? reason.message : String(reason);
  return new CaretError("storage-failed", `The event log failed: ${words}`, { cause: reason });
}

/** SQLite reports the second after losing the race for a journal's lock too often. */
export function isBusy(reason: unknown): boolean {
  const code = primaryCode(reason);
  return code === SQLITE_BUSY || code === SQLITE_PROTOCOL;
}

/** Gives damage found by a check the shape of damage that SQLite found itself. */
export function corruption(complaint: string): Error {
  return Object.assign(new Error(complaint), { errcode: SQLITE_CORRUPT });
}

export function isCorruption(reason: unknown): boolean {
  const code = primaryCode(reason);
  return code === SQLITE_CORRUPT || code === SQLITE_NOTADB;
}

/** For files that can be recreated: damaged, not a database at all, or one with other tables than ours. */
export function isUnusable(reason: unknown): boolean {
  const code = primaryCode(reason);
  return isCorruption(reason) || code === SQLITE_CANTOPEN || code === SQLITE_ERROR;
}

/** After these the connection's view of the file may be wrong, and data held by the kernel may never reach the disk. */
export function breaksConnection(reason: unknown): boolean {
  return primaryCode(reason) === SQLITE_IOERR || isCorruption(reason);
}

/** A value rejected by a column or statement: a bug of ours, not a fault of the disk. */
function isValueFault(reason: unknown): boolean {
  const code = primaryCode(reason);
  return code === SQLITE_CONSTRAINT || code === SQLITE_MISMATCH || reason instanceof TypeError;
}

/** The low byte; the rest tells variants of one failure apart. */
function primaryCode(reason: unknown): number | undefined {
  const code = property(reason, "errcode");
  return typeof code === "number" ? code & 0xff : undefined;
}

function property(reason: unknown, name: string): unknown {
  return reason instanceof Error ? (reason as unknown as Record<string, unknown>)[name] : undefined;
}
