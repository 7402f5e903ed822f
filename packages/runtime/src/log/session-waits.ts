import type { QueuedPrompts } from "@caret/protocol";

/** A turn that only one machine of a fleet can run, and that machine is away. */
interface MachineWait {
  readonly machine: string;
  readonly turnId: string;
  readonly since: number;
}

/** What waits in a session or for it: a list of sessions shows it without reading their logs. */
export interface SessionWaits {
  /** Since when something waits that the agent said to a person; absent: nothing does. */
  readonly asksSince?: number;
  /** What waits for its turns: its own queue, or its agent's. */
  readonly queued?: QueuedPrompts;
  /** Absent: none of its turns waits for a machine. */
  readonly machineWait?: MachineWait;
}
