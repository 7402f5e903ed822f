/** What is called with what a worker does, for its metrics. */
export interface WorkerMeter {
  /** It holds one more session or conversation. */
  claimed(): void;
  /** The database has renewed what it holds. */
  renewed(): void;
  /** Others may hold these now: it did not renew them in time. */
  lost(what: "claim" | "session", count: number): void;
}
