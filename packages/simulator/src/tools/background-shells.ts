import { setTimeout as sleep } from "node:timers/promises";
import { runShell, type ShellRequest } from "./run-shell.ts";

type Event = Readonly<Record<string, unknown>>;

export interface BackgroundShell {
  readonly shellId: number;
  readonly pid: number;
}

/** Commands that run on while the turn goes on. Print mode waits for them before it ends. */
export interface BackgroundShells {
  start(request: Omit<ShellRequest, "signal" | "timeoutMs">): Promise<BackgroundShell>;
  /** Waits for what still runs, and gives its events. */
  settle(): Promise<readonly Event[]>;
}

export interface BackgroundShellsOptions {
  /** How long `settle` waits before it ends them; without it, for as long as they run. */
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal;
}

const NO_TIMEOUT_MS = 2_147_483_647;

export function createBackgroundShells({ timeoutMs, signal }: BackgroundShellsOptions): BackgroundShells {
  const ender = new AbortController();
  const running: Promise<Event>[] = [];
  let unsettled = 0;
  let count = 0;
  return {
    start(request) {
      count += 1;
      const shellId = count;
      const { command } = request;
      return new Promise((resolve) => {
        const ended = runShell({
          ...request,
          timeoutMs: NO_TIMEOUT_MS,
          signal: AbortSignal.any([signal, ender.signal]),
          onStart: (pid) => resolve({ shellId, pid }),
        });
        unsettled += 1;
        running.push(
          ended.then(({ exitCode }) => {
            unsettled -= 1;
            const status = exitCode === 0 ? "success" : "error";
            return { type: "system", subtype: "task_notification", task_id: String(shellId), status, title: command };
          }),
        );
      });
    },
    async settle() {
      const all = Promise.all(running);
      if (timeoutMs === undefined) return await all;
      const cancelled = new AbortController();
      const late = sleep(timeoutMs, undefined, { signal: cancelled.signal }).catch(() => undefined);
      await Promise.race([all, late]);
      cancelled.abort();
      if (unsettled === 0) return await all;
      const stopped = { type: "system", subtype: "background_shell_timeout" };
      const event = { ...stopped, aborted_count: unsettled, timeout_ms: timeoutMs };
      ender.abort();
      await all;
      return [event];
    },
  };
}
