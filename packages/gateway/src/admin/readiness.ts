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
  /** Whether events can be written; absent if nothing is kept. */
  readonly storage?: { readonly ready: boolean; readonly detail?: string };
}

/** Ready means that a turn could start now and its events could be written. */
export function isReady({ lanes, storage }: Readiness): boolean {
  return storage?.ready !== false && lanes.some(({ ready }) => ready);
}
