import type { CaretError, PermissionWord } from "@caret/protocol";
import type { BegunTurns } from "./begun-turns.ts";
import type { DispatchClient } from "./dispatch-client.ts";

export interface DispatchOptions {
  readonly client: DispatchClient;
  /** One for all calls: an answer comes with another call than the turn's beginning. */
  readonly begun: BegunTurns;
  readonly version: string;
  /** How a person starts Caret on this machine, such as `caret`. */
  readonly command: string;
  /** Where sessions work when neither the call nor the host's roots name a directory; undefined: nowhere. */
  readonly workspace: string | undefined;
  /** How much a host may let happen without asking: this word, or one that asks more. */
  readonly permission: PermissionWord;
  /** How long a call waits for its turn unless it says so itself. */
  readonly waitMs: number;
  /** Called with failures that are our own. */
  readonly onError: (error: CaretError) => void;
}

/** Most hosts give a call up after a minute, whatever progress it reports. */
export const DEFAULT_WAIT_MS = 50_000;
/** What a host may let happen where nobody has decided otherwise: an agent that asks before what is dangerous. */
export const DEFAULT_CEILING: PermissionWord = "auto";
