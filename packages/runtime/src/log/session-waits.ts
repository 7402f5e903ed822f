import type { QueuedPrompts } from "@caret/protocol";

/** A turn that only one machine of a fleet can run while that machine is away. */
interface MachineWait {
  readonly machine: string;
  readonly turnId: string;
  readonly since: number;
}

/** What waits in or for a session, so lists can show it without reading its log. */
export interface SessionWaits {
  /** Since when a message of the agent waits for a person; omitted if none does. */
  readonly asksSince?: number;
  /** What is queued for it: its own queue, or its agent's. */
  readonly queued?: QueuedPrompts;
  /** Omitted: none of its turns waits for a machine. */
  readonly machineWait?: MachineWait;
}
