import { CaretError } from "@caret/protocol";

/** Two who do the same command at the same time: the second one finds what the first one did. */
export function commandTaken(): CaretError {
  return new CaretError("session-busy", "A command under this name is being done, or was done, already");
}
