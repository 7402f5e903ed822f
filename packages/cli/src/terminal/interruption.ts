import { once } from "node:events";
import { within } from "@caret/runtime";
import { type ExitCode, exitCodes, type Host } from "../host/host.ts";
import { complain } from "./complain.ts";

/** How long to wait for a stalled reader of standard error. */
const COMPLAINT_MS = 1_000;

/** The first signal starts the shutdown; a second one ends the process at once. */
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
 * Waits for a shutdown. A failed one leaves sockets and timers open that would keep the process alive, so it exits once the failure is on
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

/** However the program at the other end of standard input ends, even by SIGKILL, the kernel closes it. */
export async function endOfInput({ stdin }: Host): Promise<void> {
  stdin.resume();
  await once(stdin, "close");
}
