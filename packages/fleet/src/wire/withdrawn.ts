import { CaretError } from "@caret/protocol";

/** Outcome of a turn that a client stopped in the queue. */
export function withdrawn(): CaretError {
  return new CaretError("cancelled", "The turn was stopped before a worker had started it");
}
