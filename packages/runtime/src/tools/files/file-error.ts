import { CaretError, type ErrorCode } from "@caret/protocol";

/** System error codes in terms of a path the model gave. */
const meanings: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ENOENT: ["not-found", "does not exist"],
  EACCES: ["forbidden", "may not be accessed"],
  EPERM: ["forbidden", "may not be changed"],
  EROFS: ["forbidden", "is on a read-only file system"],
  ENOTDIR: ["invalid-request", "is not a directory, or leads through something that is none"],
  EISDIR: ["invalid-request", "is a directory"],
  EEXIST: ["invalid-request", "exists already"],
  ENOTEMPTY: ["invalid-request", "is not empty"],
  ENAMETOOLONG: ["invalid-request", "is too long for a path"],
  ENXIO: ["invalid-request", "is not a regular file"],
  // A link that must not be there: it was created while the call was in progress.
  ELOOP: ["workspace-forbidden", "became a symbolic link while it was being opened"],
  ENOSPC: ["storage-full", "does not fit on the disk"],
  EMFILE: ["overloaded", "cannot be opened: too many files are open"],
};

/** Turns a failed system call into an error that names the path as the caller wrote it. */
export function toFileError(reason: unknown, path: string): CaretError {
  if (CaretError.is(reason)) return reason;
  const [code, words] = meanings[(reason as NodeJS.ErrnoException).code ?? ""] ?? ["internal", "could not be used"];
  return new CaretError(code, `${path} ${words}`, { cause: reason });
}

export function hasCode(reason: unknown, ...codes: readonly string[]): boolean {
  return codes.includes((reason as NodeJS.ErrnoException).code ?? "");
}
