import type { TranscriptMessage } from "@caret/protocol";

/**
 * Whether a trailing instruction (`system`, `developer`) is the question, since nothing else follows the assistant's last answer. The
 * published APIs answer it.
 */
export function asksByInstruction(messages: readonly TranscriptMessage[]): boolean {
  return (messages.at(-1)?.role ?? "assistant") === "assistant";
}
