import { CaretError } from "@caret/protocol";
import type { LogWriter } from "../engine/event-store.ts";

/** Do one append of a writer, unless one of its earlier ones was refused. Remembers when this one is. */
export function asWriter<Result>(writer: LogWriter | undefined, append: () => Result): Result {
  if (writer?.refused !== undefined) throw writer.refused;
  try {
    return append();
  } catch (reason) {
    noteRefusal(writer, reason);
    throw reason;
  }
}

export function noteRefusal(writer: LogWriter | undefined, reason: unknown): void {
  if (writer !== undefined) writer.refused ??= CaretError.from(reason);
}
