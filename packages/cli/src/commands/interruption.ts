import { once } from "node:events";
import { exitCodes, type Host } from "../host.ts";

/** The first signal starts the shutdown, a second one ends the process at once. */
export function interruption(host: Host): Promise<"SIGINT" | "SIGTERM"> {
  return new Promise((resolve) => {
    let count = 0;
    host.onSignal((signal) => {
      count += 1;
      if (count === 1) resolve(signal);
      else process.exit(exitCodes.cancelled);
    });
  });
}

/** However the program at the other end of standard input has ended, also by SIGKILL, the kernel has closed it. */
export async function endOfInput({ stdin }: Host): Promise<void> {
  stdin.resume();
  await once(stdin, "close");
}
