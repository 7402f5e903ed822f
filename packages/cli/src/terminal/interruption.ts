import { once } from "node:events";
import { within } from "@caret/runtime";
import { type ExitCode, exitCodes, type Host } from "../host/host.ts";
import { complain } from "./complain.ts";

/** A reader of standard error that does not read gets so long. */
const COMPLAINT_MS = 1_000;

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

/**
 * Waits for a shutdown. One that fails has left sockets and timers open, which would keep the process: it is ended, once the failure is on
 * standard error.
 */
export async function closed(
  host: Pick<Host, "stderr" | "command">,
  closing: Promise<void>,
  exit: (code: ExitCode) => void = (code) => process.exit(code),
): Promise<ExitCode> {
  try {
    await closing;
    return exitCodes.completed;
  } catch (reason) {
    await within(complain(host, reason), COMPLAINT_MS);
    exit(exitCodes.failed);
    return exitCodes.failed;
  }
}

/** However the program at the other end of standard input has ended, also by SIGKILL, the kernel has closed it. */
export async function endOfInput({ stdin }: Host): Promise<void> {
  stdin.resume();
  await once(stdin, "close");
}
