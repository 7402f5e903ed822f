import { exitCodes, type Host } from "../host/host.ts";

/** Turns signals into an AbortSignal. */
export interface Stopper {
  /** Calls back once, at the first signal; immediately if it has already come. */
  onStop(stop: () => void): void;
  release(): void;
}

/**
 * The first interrupt asks the turn to stop, so its work is logged and its session kept. The second exits at once: the spawner notices and
 * kills what is left of the agent.
 */
export function createStopper(host: Host, exit: (code: number) => void = (code) => process.exit(code)): Stopper {
  let isStopped = false;
  let stop: (() => void) | undefined;
  const release = host.onSignal(() => {
    if (isStopped) {
      // So the shell's prompt does not follow our last line.
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
