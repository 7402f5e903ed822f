import type { Conversations } from "@caret/protocol";
import type { ActivityDisplay } from "../activity-text.ts";

/** What the OpenAI doors are given. */
export interface DoorOptions {
  readonly desk: Conversations;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly showActivity: ActivityDisplay;
  /** How long a stream may be silent before a comment keeps it alive. */
  readonly keepAliveMs: number;
}
