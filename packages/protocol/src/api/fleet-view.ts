/** A gateway or worker of a fleet. */
export interface FleetMemberView {
  readonly id: string;
  readonly role: "gateway" | "worker";
  readonly machine: string;
  readonly version: string;
  /** `leaving`: it is drained, and takes no more work. `away`: it has not renewed its row for as long as a lease lasts. */
  readonly state: "there" | "leaving" | "away";
  /** Of workers. */
  readonly lanes: readonly string[];
  /** How many sessions and conversations a worker has at once, and has now. */
  readonly capacity: number;
  readonly atWork: number;
  /** When it last renewed its row, by the database's clock. Milliseconds since the epoch. */
  readonly seenAt: number;
}

/**
 * Why a turn waits: another turn of its session comes first; only one machine has its files, and no worker is there; no worker is
 * there at all; or those that may take it are full.
 */
export type FleetWaitReason = "behind-a-turn" | "machine-away" | "no-worker" | "workers-full";

/** The same for people. */
export const fleetWaitWords: Readonly<Record<FleetWaitReason, string>> = {
  "behind-a-turn": "behind another turn of its session",
  "machine-away": "its machine is away",
  "no-worker": "no worker is there",
  "workers-full": "all workers are full",
};

export interface FleetWaitView {
  readonly turnId: string;
  /** Absent for a request of a stateless door. */
  readonly sessionId?: string;
  /** The only machine that may run it. */
  readonly machine?: string;
  readonly reason: FleetWaitReason;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** The machines of a fleet, and its queue. */
export interface FleetView {
  readonly members: readonly FleetMemberView[];
  readonly queuedTurns: number;
  readonly runningTurns: number;
  /** Sessions and conversations that workers hold. */
  readonly leases: number;
  /** The turns that wait, the oldest first, at most a hundred. */
  readonly waiting: readonly FleetWaitView[];
}
