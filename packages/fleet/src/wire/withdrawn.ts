import { CaretError } from "@caret/protocol";

/** Why a turn ends that a client has stopped while it was in the queue. */
export function withdrawn(): CaretError {
  return new CaretError("cancelled", "The turn was stopped before a worker had started it");
}
