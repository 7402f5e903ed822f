import type { TranscriptMessage } from "@caret/protocol";

/**
 * Whether an instruction (`system`, `developer`) that stands last is what is asked: nothing else is, after the assistant's last
 * answer. The published APIs answer it.
 */
export function asksByInstruction(messages: readonly TranscriptMessage[]): boolean {
  return (messages.at(-1)?.role ?? "assistant") === "assistant";
}
