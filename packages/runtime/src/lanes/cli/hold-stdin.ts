import type { ChildHandle } from "../../process/child-handle.ts";

/** How long a program may be silent before we suppose that it waits for the end of its input. */
const HOLD_MS = 1_500;

/**
 * Send a contract program its turn and keep its standard input open, since a cancellation may have to follow. A program
 * that says nothing for a while may be one that reads to the end of its input first: then the input is ended.
 */
export function holdStdin(child: ChildHandle, turn: string, holdMs = HOLD_MS): void {
  void child.writeStdin(turn);
  const timer = setTimeout(() => void child.endStdin(), holdMs);
  timer.unref();
  void child.firstOutput.then(() => clearTimeout(timer));
}
