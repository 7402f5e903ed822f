import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { CaretError } from "@caret/protocol";

const MAX_BYTES = 16 * 1024;

export interface KeyCommand {
  readonly name: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly platform: NodeJS.Platform;
  readonly deadlineMs: number;
}

/** A command's output, if it succeeds in time. Otherwise everything it started is killed with it. */
export async function runKeyCommand(options: KeyCommand): Promise<string> {
  const ownGroup = options.platform !== "win32";
  const child = start(options, ownGroup);
  const deadline = AbortSignal.timeout(options.deadlineMs);
  const output = collect(child, () => stop(child, ownGroup));
  try {
    const [exitCode, signal] = await once(child, "close", { signal: deadline });
    if (output.bytes > MAX_BYTES) throw refusal(options, "printed too much to be a key");
    if (exitCode !== 0) throw refusal(options, `ended with ${exitCode === null ? signal : `code ${exitCode}`}`);
    return Buffer.concat(output.chunks).toString("utf8");
  } catch (reason) {
    stop(child, ownGroup);
    if (CaretError.is(reason)) throw reason;
    if (deadline.aborted) throw refusal(options, `did not end within ${options.deadlineMs} ms`, reason);
    throw refusal(options, "could not be started", reason);
  }
}

function start(options: KeyCommand, ownGroup: boolean): ChildProcess {
  const [program = "", ...args] = options.command;
  try {
    // No input, so a command that asks for a password fails instead of waiting. Its standard error is not read: it might repeat the key.
    return spawn(program, args, { env: options.env, stdio: ["ignore", "pipe", "ignore"], detached: ownGroup });
  } catch (cause) {
    throw refusal(options, "could not be started", cause);
  }
}

function collect(child: ChildProcess, overflow: () => void): { readonly chunks: Buffer[]; readonly bytes: number } {
  const output = { chunks: [] as Buffer[], bytes: 0 };
  child.stdout?.on("data", (chunk: Buffer) => {
    output.bytes += chunk.length;
    if (output.bytes > MAX_BYTES) overflow();
    else output.chunks.push(chunk);
  });
  return output;
}

function stop(child: ChildProcess, ownGroup: boolean): void {
  if (child.pid === undefined) return;
  try {
    if (ownGroup) process.kill(-child.pid, "SIGKILL");
    else child.kill("SIGKILL");
  } catch {
    // No process of the group is left, as intended.
  }
}

/** Omits the command line beyond the program's name: people put secrets in arguments. */
function refusal({ name, command }: KeyCommand, fault: string, cause?: unknown): CaretError {
  const [program = ""] = command;
  return new CaretError("not-logged-in", `The key command ${program} of the profile ${name} ${fault}`, {
    fix: `Run the command of the profile ${name} by hand: it must print the API key without asking anything.`,
    cause,
  });
}
