import { CaretError } from "@caret/protocol";

/** A chat that is there and cannot be read. The message names what is wrong with it, never where it is. */
export function chatDamage(message: string, cause?: unknown): CaretError {
  return new CaretError("session-corrupt", message, { cause });
}
