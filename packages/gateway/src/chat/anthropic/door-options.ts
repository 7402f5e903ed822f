import type { Conversations } from "@caret/protocol";
import type { ActivityDisplay } from "../activity-text.ts";

export interface AnthropicDoorOptions {
  readonly desk: Conversations;
  readonly newId: () => string;
  /** How the agent's own tool activity is shown. */
  readonly showActivity: ActivityDisplay;
  /** How long a stream may be silent before a ping keeps it alive. */
  readonly keepAliveMs: number;
}
