import { CaretError } from "@caret/protocol";
import type { TranscriptMessage } from "../lineage/transcript.ts";

/** Throws for a transcript that asks nothing, or asks about what no lane can look at. */
export function assertAnswerable(messages: readonly TranscriptMessage[]): void {
  const last = messages.at(-1);
  if (last === undefined)
    throw new CaretError("invalid-request", "There are no messages", { fix: "Send at least one message." });
  if (last.role === "assistant")
    throw new CaretError("invalid-request", "The last message is the assistant's own", {
      fix: "End with a message of the user or with the results of tools: an answer cannot be begun for the agent.",
    });
  // Images of the past are only mentioned: the agent has answered them, or nobody ever will. So are those that tools
  // give: an agent in the middle of its work can go on without, and a refusal would end the work.
  const asked = messages.slice(messages.findLastIndex(({ role }) => role === "assistant") + 1);
  if (asked.some(hasImage))
    throw new CaretError("unsupported", "This lane cannot pass images on to the agent", {
      fix: "Save the image in the workspace and name its path: the agent can open files.",
    });
}

function hasImage(message: TranscriptMessage): boolean {
  return message.role === "user" && message.parts.some(({ kind }) => kind !== "text");
}
