import type { ActivityDisplay } from "../door/activity-text.ts";
import type { TurnDesk } from "../door/turn-desk.ts";

/** What the OpenAI doors are given. */
export interface DoorOptions {
  readonly desk: TurnDesk;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly newId: () => string;
  readonly showActivity: ActivityDisplay;
  /** How long a stream may be silent before a comment keeps it alive. */
  readonly keepAliveMs: number;
}
