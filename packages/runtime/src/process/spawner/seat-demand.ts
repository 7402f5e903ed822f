/** Starts that come within this time are one burst. */
const BURST_MS = 1_000;
/** What a burst that was smaller than the one before leaves of its size. */
const FADING = 0.9;

export interface SeatDemandOptions {
  /** So many are wanted however few are used. */
  readonly least: number;
  /** And no more than this, however many agents start at once. */
  readonly most: number;
}

/** How many seats should wait: as many as there were starts in the largest burst of late. */
export class SeatDemand {
  readonly #options: SeatDemandOptions;
  #burstSince = Number.NEGATIVE_INFINITY;
  #burst = 0;
  #largest = 0;

  constructor(options: SeatDemandOptions) {
    this.#options = options;
  }

  get wanted(): number {
    const { least, most } = this.#options;
    return Math.min(most, Math.max(least, this.#burst, Math.floor(this.#largest)));
  }

  /** An agent is being started. */
  note(nowMs: number): void {
    if (nowMs - this.#burstSince >= BURST_MS) {
      this.#largest = Math.max(this.#burst, this.#largest * FADING);
      this.#burst = 0;
      this.#burstSince = nowMs;
    }
    this.#burst += 1;
  }

  /** Nothing was started for long. */
  forget(): void {
    this.#burst = 0;
    this.#largest = 0;
  }
}
