import { exitCodes, type Host } from "../host.ts";

/** The first signal starts the shutdown, a second one ends the process at once. */
export function interruption(host: Host, untilStdinEnds = false): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    let count = 0;
    host.onSignal((signal) => {
      count += 1;
      if (count === 1) resolve(signal);
      else process.exit(exitCodes.cancelled);
    });
    // However the other program ended, also by SIGKILL, the kernel has closed its end.
    if (untilStdinEnds) host.stdin.once("close", () => resolve("SIGTERM")).resume();
  });
}
