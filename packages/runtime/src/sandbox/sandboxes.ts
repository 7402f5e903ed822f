import type { SandboxWord } from "@caret/protocol";
import type { SandboxAdditions } from "./sandbox-additions.ts";

/** The sandbox that a turn is to have. */
export interface SandboxWish {
  readonly word: Exclude<SandboxWord, "off">;
  /** What Caret keeps for its sandbox belongs to the session, and goes with it. */
  readonly sessionId: string;
  readonly additions: SandboxAdditions;
}

/** The sandboxes of this machine. */
export interface Sandboxes {
  /** Rejects with `sandbox-unavailable`, whose fix says what to do, where there can be none. */
  assertAvailable(): Promise<void>;
}
