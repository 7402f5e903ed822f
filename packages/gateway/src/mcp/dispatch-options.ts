import type { CaretError, PermissionWord } from "@caret/protocol";
import type { BegunTurns } from "./begun-turns.ts";
import type { DispatchClient } from "./dispatch-client.ts";

export interface DispatchOptions {
  readonly client: DispatchClient;
  /** Shared by all calls: an answer comes in another call than the one that began the turn. */
  readonly begun: BegunTurns;
  readonly version: string;
  /** How a person starts Caret on this machine, such as `caret`. */
  readonly command: string;
  /** Workspace of sessions if neither the call nor the host's roots name one; undefined if there is no default. */
  readonly workspace: string | undefined;
  /** The most permissive word a host may set; stricter ones are allowed. */
  readonly permission: PermissionWord;
  /** How long a call waits for its turn by default. */
  readonly waitMs: number;
  /** Called with failures of our own. */
  readonly onError: (error: CaretError) => void;
}

/** Most hosts give up on a call after a minute, whatever progress it reports. */
export const DEFAULT_WAIT_MS = 50_000;
/** Default ceiling: an agent that asks before anything dangerous. */
export const DEFAULT_CEILING: PermissionWord = "auto";
