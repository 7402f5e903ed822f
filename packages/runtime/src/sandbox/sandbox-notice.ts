import type { AgentEvent } from "@caret/protocol";

/** What a person has to know of what a sandboxed turn has left. */
export function sandboxNotice(message: string): AgentEvent {
  return { type: "notice", kind: "sandbox", message };
}
