import type { ClientTool, ConversationRequest } from "@caret/protocol";

/** What a stateless client sends with every request: all that was said so far, the question last. */
export interface Transcript extends Pick<ConversationRequest, "system" | "messages"> {
  readonly tools: readonly Pick<ClientTool, "name" | "namespace">[];
}
