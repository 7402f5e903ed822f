import type { CheckResult } from "@caret/protocol";
import type { Spawner } from "../process/child-handle.ts";
import { TailRing } from "../process/tail-ring.ts";
import { toolEnvironment } from "../process/tool-environment.ts";

const LIMIT_MS = 20 * 60_000;
const TAIL_BYTES = 8 * 1024;
const GRACE_MS = 2_000;

export interface RunCheckOptions {
  /** Holds together what the check starts. */
  readonly spawner: Spawner;
  /** The gateway's own; the check sees a chosen part of it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly limitMs?: number;
}

/** Run a shell command where a candidate has worked. Its exit code is the verdict; its failing is no error. */
export async function runCheck(command: string, options: RunCheckOptions): Promise<CheckResult> {
  const { spawner, env, cwd, signal, limitMs = LIMIT_MS } = options;
  const startedAt = performance.now();
  const child = spawner.spawn({
    file: "/bin/sh",
    args: ["-c", `exec 2>&1\n${command}`],
    cwd,
    env: toolEnvironment({ parent: env }),
    stdin: "closed",
  });
  const stop = (): void => void child.stop({ reason: "stopped", graceMs: GRACE_MS });
  const timer = setTimeout(stop, limitMs);
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    const tail = new TailRing(TAIL_BYTES);
    for await (const chunk of child.stdout) tail.push(chunk);
    const exit = await child.exit;
    if (exit.kind !== "exited") throw exit.error;
    const exitCode = child.stopReason === undefined ? exit.code : null;
    return { exitCode, output: tail.text(), durationMs: Math.round(performance.now() - startedAt) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", stop);
  }
}
