import { CaretError } from "@caret/protocol";
import { within } from "@caret/runtime";

/** Time to close everything, beyond what agents get to exit: each wait for the log then takes at most two seconds. */
export const LEAVE_MS = 5_000;

/**
 * Limits the last part of a shutdown, when no turn is awaited any more: a statement that a cut-off database never answers would block for
 * as long as the kernel keeps the connection. Rejects on expiry; whatever hangs goes on until the process exits.
 */
export async function leaveInTime(role: "gateway" | "worker", leaving: Promise<void>, limitMs: number): Promise<void> {
  if (await within(leaving, limitMs)) return;
  const unwritten =
    role === "worker" ? "how its last turns ended, and that this worker has left" : "that this gateway has left";
  throw new CaretError(
    "storage-failed",
    `The fleet's database did not answer within ${limitMs / 1000} s of the shutdown. Not written: ${unwritten}`,
    {
      fix: "Nothing is left to do here: leases and names in the database run out by themselves within seconds, and other workers record the turns as interrupted.",
    },
  );
}
