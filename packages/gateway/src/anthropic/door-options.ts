import type { ActivityDisplay } from "../door/activity-text.ts";
import type { TurnDesk } from "../door/turn-desk.ts";

export interface AnthropicDoorOptions {
  readonly desk: TurnDesk;
  readonly newId: () => string;
  /** How the agent's own tool activity is shown. */
  readonly showActivity: ActivityDisplay;
  /** How long a stream may be silent before a ping keeps it alive. */
  readonly keepAliveMs: number;
}
