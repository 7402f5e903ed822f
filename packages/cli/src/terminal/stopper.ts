import { exitCodes, type Host } from "../host/host.ts";

/** Turns signals into an AbortSignal. */
export interface Stopper {
  /** Called once, at the first signal; at once when it has come already. */
  onStop(stop: () => void): void;
  release(): void;
}

/**
 * The first interrupt asks the turn to stop, so that what it did is logged and its session kept. The second leaves at
 * once: the spawner notices and kills whatever is left of the agent.
 */
export function createStopper(host: Host, exit: (code: number) => void = (code) => process.exit(code)): Stopper {
  let isStopped = false;
  let stop: (() => void) | undefined;
  const release = host.onSignal(() => {
    if (isStopped) {
      // The prompt of the shell shall not stand behind our last line.
      if (host.stdout.isTTY === true) host.stdout.write("\n");
      return exit(exitCodes.cancelled);
    }
    isStopped = true;
    stop?.();
  });
  return {
    onStop(listener) {
      stop = listener;
      if (isStopped) listener();
    },
    release,
  };
}
