import type { ClientTool, ConversationRequest } from "@caret/protocol";

/** What a stateless client sends with every request: everything said so far, ending with the question. */
export interface Transcript extends Pick<ConversationRequest, "system" | "messages"> {
  readonly tools: readonly Pick<ClientTool, "name" | "namespace">[];
}
