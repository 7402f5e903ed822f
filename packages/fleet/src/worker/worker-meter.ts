/** Receives what a worker does, for its metrics. */
export interface WorkerMeter {
  /** It holds one more session or conversation. */
  claimed(): void;
  /** The database renewed what it holds. */
  renewed(): void;
  /** Not renewed in time: others may hold these now. */
  lost(what: "claim" | "session", count: number): void;
}
