/** Starts that come within this time are one burst. */
const BURST_MS = 1_000;
/** What a burst leaves of the size of a larger one before it. */
const FADING = 0.9;

export interface SeatDemandOptions {
  /** So many are wanted however few are used. */
  readonly least: number;
  /** And no more than this, however many agents start at once. */
  readonly most: number;
}

/** How many seats should wait: the least, and as many as agents of the largest burst of late have found none. */
export class SeatDemand {
  readonly #options: SeatDemandOptions;
  #burstSince = Number.NEGATIVE_INFINITY;
  #missed = 0;
  #mostMissed = 0;

  constructor(options: SeatDemandOptions) {
    this.#options = options;
  }

  get wanted(): number {
    const { least, most } = this.#options;
    return Math.min(most, least + Math.max(this.#missed, Math.floor(this.#mostMissed)));
  }

  /** An agent is being started, in a seat or without. */
  note(nowMs: number, isSeated: boolean): void {
    if (nowMs - this.#burstSince >= BURST_MS) {
      this.#mostMissed = Math.max(this.#missed, this.#mostMissed * FADING);
      this.#missed = 0;
      this.#burstSince = nowMs;
    }
    if (!isSeated) this.#missed += 1;
  }

  /** Nothing was started for long. */
  forget(): void {
    this.#missed = 0;
    this.#mostMissed = 0;
  }
}
