import type { ConversationRequest } from "@caret/protocol";

/** A request of any stateless door: what the runtime is asked, and what the door itself obeys. */
export interface DoorRequest extends ConversationRequest {
  readonly maxOutputTokens: number | undefined;
  /** The answer ends before the first of these. */
  readonly stopSequences: readonly string[];
  /** Fields of the body that were set but have no meaning here. */
  readonly ignored: readonly string[];
}
