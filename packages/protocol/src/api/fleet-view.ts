/** A gateway or worker of a fleet. */
export interface FleetMemberView {
  readonly id: string;
  readonly role: "gateway" | "worker";
  readonly machine: string;
  readonly version: string;
  /** `leaving`: draining, takes no new work. `away`: has not renewed its row for the length of a lease. */
  readonly state: "there" | "leaving" | "away";
  /** Workers only. */
  readonly lanes: readonly string[];
  /** How many sessions and conversations a worker can hold; `atWork` is how many it holds now. */
  readonly capacity: number;
  readonly atWork: number;
  /** When it last renewed its row, in milliseconds since the epoch, by the database's clock. */
  readonly seenAt: number;
}

/**
 * Why a turn waits: another turn of its session runs first; the only machine with its files has no worker; no worker is running at all; or
 * all eligible workers are full.
 */
export type FleetWaitReason = "behind-a-turn" | "machine-away" | "no-worker" | "workers-full";

/** The reasons in words for people. */
export const fleetWaitWords: Readonly<Record<FleetWaitReason, string>> = {
  "behind-a-turn": "behind another turn of its session",
  "machine-away": "its machine is away",
  "no-worker": "no worker is there",
  "workers-full": "all workers are full",
};

export interface FleetWaitView {
  readonly turnId: string;
  /** Absent for requests of a stateless door. */
  readonly sessionId?: string;
  /** The only machine that can run it. */
  readonly machine?: string;
  readonly reason: FleetWaitReason;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/** A fleet's machines and its queue. */
export interface FleetView {
  readonly members: readonly FleetMemberView[];
  readonly queuedTurns: number;
  readonly runningTurns: number;
  /** Number of sessions and conversations held by workers. */
  readonly leases: number;
  /** The waiting turns, oldest first, at most a hundred. */
  readonly waiting: readonly FleetWaitView[];
}
