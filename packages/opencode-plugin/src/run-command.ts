import { type ChildProcess, spawn } from "node:child_process";

const MAX_BYTES = 1024 * 1024;
/** What a command may take to heed SIGTERM. */
const GRACE_MS = 2_000;
/** What the last output may take once the shell is gone, where something that it left running holds the pipe open. */
const DRAIN_MS = 200;

export interface CommandOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** `stopped`: why it was ended before its time. */
export interface CommandEnd {
  readonly output: string;
  readonly code: number | null;
  readonly stopped: string | undefined;
}

/** Runs a command in a group of its own, all of which is ended with it when it takes too long, prints too much or is aborted. */
export async function runCommand(command: string, { cwd, timeoutMs, signal }: CommandOptions): Promise<CommandEnd> {
  const child = spawn("sh", ["-c", command], { cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  const chunks: Buffer[] = [];
  let bytes = 0;
  let stopped: string | undefined;
  let killing: NodeJS.Timeout | undefined;
  const stop = (why: string): void => {
    if (stopped !== undefined) return;
    stopped = why;
    signalGroup(child, "SIGTERM");
    killing = setTimeout(() => signalGroup(child, "SIGKILL"), GRACE_MS);
  };
  const collect = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
    else stop(`it printed more than ${MAX_BYTES} bytes`);
  };
  child.stdout.on("data", collect);
  child.stderr.on("data", collect);
  const late = setTimeout(() => stop(`it did not end within ${timeoutMs} ms`), timeoutMs);
  const onAbort = (): void => stop("the turn was cancelled");
  signal.addEventListener("abort", onAbort);
  if (signal.aborted) onAbort();
  try {
    const code = await ended(child);
    if (stopped !== undefined) signalGroup(child, "SIGKILL");
    return { output: Buffer.concat(chunks).toString("utf8"), code, stopped };
  } finally {
    clearTimeout(late);
    clearTimeout(killing);
    signal.removeEventListener("abort", onAbort);
  }
}

/** Rejects when the shell cannot be started. */
async function ended(child: ChildProcess): Promise<number | null> {
  const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("exit", resolve);
    child.once("error", reject);
  });
  const drained = Promise.withResolvers<void>();
  const timer = setTimeout(drained.resolve, DRAIN_MS);
  await Promise.race([closed, drained.promise]);
  clearTimeout(timer);
  child.stdout?.destroy();
  child.stderr?.destroy();
  return code;
}

function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (reason) {
    if ((reason as NodeJS.ErrnoException).code !== "ESRCH") throw reason; // all of it has ended
  }
}
