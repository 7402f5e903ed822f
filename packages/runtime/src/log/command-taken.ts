import { CaretError } from "@caret/protocol";

/** Two concurrent attempts at the same command: the second learns of the first. */
export function commandTaken(): CaretError {
  return new CaretError("session-busy", "A command under this name is being done, or was done, already");
}
