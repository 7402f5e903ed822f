export interface LaneReadiness {
  readonly lane: string;
  readonly ready: boolean;
  /** True for the built-in simulator, whose answers must not be mistaken for Cursor's. */
  readonly simulated: boolean;
  readonly detail?: string;
}

export interface Readiness {
  readonly version: string;
  readonly lanes: readonly LaneReadiness[];
}

/** Ready means that a turn could start now. */
export function isReady({ lanes }: Readiness): boolean {
  return lanes.some(({ ready }) => ready);
}
