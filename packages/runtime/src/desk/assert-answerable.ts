import { CaretError } from "@caret/protocol";
import type { TranscriptMessage } from "../lineage/transcript.ts";

/** Throws for a transcript that asks nothing. */
export function assertAnswerable(messages: readonly TranscriptMessage[]): void {
  const last = messages.at(-1);
  if (last === undefined)
    throw new CaretError("invalid-request", "There are no messages", { fix: "Send at least one message." });
  if (last.role === "assistant")
    throw new CaretError("invalid-request", "The last message is the assistant's own", {
      fix: "End with a message of the user or with the results of tools: an answer cannot be begun for the agent.",
    });
}
