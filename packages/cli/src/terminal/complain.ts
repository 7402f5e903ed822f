import { CaretError, inCommandForm } from "@caret/protocol";
import { type ExitCode, exitCodes, type Host } from "../host/host.ts";
import { write } from "./print.ts";
import { cleanText } from "./text-cleaner.ts";

const usageCodes: ReadonlySet<string> = new Set(["invalid-request", "invalid-config"]);

/** Prints an error to standard error and returns the command's exit code. */
export async function complain(host: Pick<Host, "stderr" | "command">, reason: unknown): Promise<ExitCode> {
  const error = toCaretError(reason);
  const upstream =
    error.upstream === undefined ? "" : `  ${cleanText(error.upstream).trim().replaceAll("\n", "\n  ")}\n`;
  await write(
    host.stderr,
    `caret: ${cleanText(error.message)} [${error.code}]\n${upstream}  ${cleanText(inCommandForm(error.fix, host.command))}\n`,
  );
  return usageCodes.has(error.code) ? exitCodes.usage : exitCodes.failed;
}

/** An unreadable or unwritable file is not a bug in Caret. The user may see its path: it is theirs. */
function toCaretError(reason: unknown): CaretError {
  const { code, syscall, path, message } = reason instanceof Error ? (reason as NodeJS.ErrnoException) : {};
  if (CaretError.is(reason) || syscall === undefined || path === undefined) return CaretError.from(reason);
  if (code === "ENOSPC" || code === "EDQUOT") return new CaretError("storage-full", `${path}: the disk is full`);
  return new CaretError("storage-failed", `${message}`, { fix: `Check ${path} and its permissions.` });
}
