import { spawn } from "node:child_process";

export interface ShellRequest {
  readonly command: string;
  readonly directory: string;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** The command runs under this number; 0 when it could not be started. */
  readonly onStart?: (pid: number) => void;
}

/** How the command ended; `spawn-error` means that it never began. */
export interface ShellEnd {
  readonly kind: "exited" | "timed-out" | "aborted" | "spawn-error";
  readonly exitCode: number;
  readonly signal: string;
  readonly stdout: string;
  readonly stderr: string;
  /** Both streams in the order in which they came. */
  readonly interleaved: string;
}

/** A command that prints without end must not eat the memory; what comes after this is dropped. */
const MAX_KEPT_CHARACTERS = 8_000_000;

/** Runs a command in a process group of its own, so that time-out and abort end everything it started. */
export function runShell({ command, directory, timeoutMs, env, signal, onStart }: ShellRequest): Promise<ShellEnd> {
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: directory,
      detached: true,
      env: { ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    onStart?.(child.pid ?? 0);
    const texts = { stdout: "", stderr: "", interleaved: "" };
    let kind: ShellEnd["kind"] = "exited";
    const stop = (reason: ShellEnd["kind"]) => {
      kind = reason;
      killGroup(child.pid);
    };
    const abort = () => stop("aborted");
    const timer = setTimeout(() => stop("timed-out"), timeoutMs);
    signal.addEventListener("abort", abort);
    if (signal.aborted) abort();
    for (const name of ["stdout", "stderr"] as const) {
      child[name].setEncoding("utf8").on("data", (text: string) => {
        texts[name] = keep(texts[name], text);
        texts.interleaved = keep(texts.interleaved, text);
      });
    }
    const settle = (exitCode: number, signalName: string) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      resolve({ kind, exitCode, signal: signalName, ...texts });
    };
    child.on("error", (error) => {
      kind = "spawn-error";
      texts.stderr = error.message;
      settle(-1, "");
    });
    child.on("close", (code, signalName) => settle(code ?? -1, signalName ?? ""));
  });
}

function keep(text: string, more: string): string {
  return text.length >= MAX_KEPT_CHARACTERS ? text : text + more;
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The group ended on its own between the decision and the signal.
  }
}
