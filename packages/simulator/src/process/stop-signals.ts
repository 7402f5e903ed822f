import type { Host } from "./host.ts";

/** How long the turn's own processes get to end before the CLI goes without them. */
const cleanupMs = 1000;

export interface StopSignals {
  /** Aborts when the CLI has received a stop signal; the stream is cut right there. */
  readonly signal: AbortSignal;
  /** Work to do before the process ends. */
  readonly onStop: (cleanUp: () => Promise<void>) => void;
  readonly ignore: (signals: readonly string[]) => void;
}

/** SIGINT ends with 130 and a word on stderr, SIGTERM with 143 and none; neither leaves a process behind. */
export function handleStopSignals(host: Host, log: (record: object) => void): StopSignals {
  const controller = new AbortController();
  const cleanUps: (() => Promise<void>)[] = [];

  function stop(signal: NodeJS.Signals, code: number): void {
    log({ event: "signal", signal });
    if (controller.signal.aborted) return;
    if (signal === "SIGINT") host.stderr.write("Aborting operation...\n");
    controller.abort();
    const leave = () => host.exit(code);
    setTimeout(leave, cleanupMs);
    void Promise.allSettled(cleanUps.map((cleanUp) => cleanUp())).then(leave);
  }
  host.onSignal("SIGINT", () => stop("SIGINT", 130));
  host.onSignal("SIGTERM", () => stop("SIGTERM", 143));

  return {
    signal: controller.signal,
    onStop: (cleanUp) => cleanUps.push(cleanUp),
    ignore: (signals) => {
      for (const signal of signals as NodeJS.Signals[]) host.onSignal(signal, () => log({ event: "signal", signal }));
    },
  };
}
