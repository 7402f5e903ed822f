import { accessSync, constants, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { CaretError, type ErrorCode } from "@caret/protocol";
import type { ChildCommand } from "./child-handle.ts";

const codeOfErrno: Readonly<Record<string, ErrorCode>> = {
  ENOENT: "cli-missing",
  ENOTDIR: "cli-missing",
  ELOOP: "cli-missing",
  ENAMETOOLONG: "cli-missing",
  EACCES: "cli-not-executable",
  EPERM: "cli-not-executable",
  EISDIR: "cli-not-executable",
  ENOEXEC: "cli-broken",
  ETXTBSY: "agent-unavailable",
  E2BIG: "prompt-too-long",
  EMFILE: "agent-unavailable",
  ENFILE: "agent-unavailable",
  EAGAIN: "agent-unavailable",
  ENOMEM: "agent-unavailable",
};

/** Rejects commands for which the operating system's error would be less clear. */
export function assertStartable(command: ChildCommand): void {
  const words = [command.file, command.cwd, ...command.args, ...Object.entries(command.env).flat()];
  if (words.some((word) => word.includes("\0")))
    throw new CaretError("invalid-request", "A NUL character cannot be passed to a program as an argument");
  assertWorkspace(command.cwd);
}

/** Converts a start failure to an error of our catalogue. */
export function toStartFailure(reason: unknown, command: ChildCommand): CaretError {
  if (CaretError.is(reason)) return reason;
  const errno = (reason as NodeJS.ErrnoException).code ?? "";
  // The kernel reports ENOENT and EACCES for the directory as well as the program, so check the directory first.
  const refusal = refusalOf(command);
  if (refusal !== undefined) return refusal;
  if (errno === "ERR_INVALID_ARG_VALUE")
    return new CaretError("invalid-request", "The program's arguments are not valid", { cause: reason });
  if (errno === "ENOENT" && isFile(command.file))
    return new CaretError("cli-broken", `${command.file} names an interpreter that does not exist`, { cause: reason });
  const code = codeOfErrno[errno] ?? "agent-unavailable";
  return new CaretError(code, `Could not start ${command.file} (${errno || "no reason given"})`, { cause: reason });
}

/**
 * A file that is not a program at all starts nevertheless: the C library passes it to the shell, which fails. True if an exit without
 * output looks like that.
 */
export async function isBrokenProgram(command: ChildCommand, code: number | null): Promise<boolean> {
  if (code === 126 || code === 127) return true;
  return code !== null && code !== 0 && !(await hasProgramHead(command.contained?.file ?? command.file));
}

/** A shell's message about a program that is just being replaced by its own update. */
const busyFile = /text file busy/i;

/** Why a started program did not run, judged by the words of the shell that failed to become it. */
export function explainBroken({ file, contained }: ChildCommand, stderr: string): CaretError {
  const program = contained?.file ?? file;
  if (busyFile.test(stderr))
    return new CaretError("agent-unavailable", `${program} is open for writing`, { upstream: stderr });
  return new CaretError("cli-broken", `${program} is not a program that runs here`, { upstream: stderr });
}

/** Synchronous rather than in the thread pool: a caller waits for the process, and the call takes microseconds. */
function assertWorkspace(cwd: string): void {
  const found = attempt(() => statSync(cwd), "workspace-missing", `The workspace ${cwd} does not exist`);
  if (!found.isDirectory()) throw new CaretError("workspace-missing", `The workspace ${cwd} is not a directory`);
  attempt(() => accessSync(cwd, constants.X_OK), "workspace-forbidden", `The workspace ${cwd} may not be entered`);
}

function refusalOf(command: ChildCommand): CaretError | undefined {
  try {
    assertStartable(command);
    return undefined;
  } catch (reason) {
    return CaretError.from(reason);
  }
}

function attempt<Result>(work: () => Result, code: ErrorCode, message: string): Result {
  try {
    return work();
  } catch (cause) {
    throw new CaretError(code, message, { cause });
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false; // a name to be found on PATH, or nothing
  }
}

async function hasProgramHead(path: string): Promise<boolean> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0);
    // By tradition, a text file without `#!` is a shell script; only a non-text file is not a program.
    return bytesRead === 0 || buffer.toString("latin1", 1) === "ELF" || !buffer.subarray(0, bytesRead).some(isBinary);
  } catch {
    return true; // a name found on PATH: it ran, so it was a program
  }
}

function isBinary(byte: number): boolean {
  return byte > 0x7e || (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d);
}
