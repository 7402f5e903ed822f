export interface AppenderJob {
  readonly store: string;
  readonly fleetKey: string;
  /** Before the numbers of its sessions. */
  readonly name: string;
  readonly workspace: string;
  readonly sessions: number;
  /** Undefined: as many as there can be. */
  readonly perSecond?: number;
  readonly ms: number;
}

export interface AppenderReport {
  readonly appends: number;
  readonly ms: number;
}

export const BENCH_TURN = "bench";
