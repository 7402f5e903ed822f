/** What each burst leaves of the size of a larger one before it. */
const FADING = 0.9;

export interface SeatDemandOptions {
  /** So many are wanted however few are used. */
  readonly least: number;
  /** And no more than this, however many agents start at once. */
  readonly most: number;
}

/**
 * How many seats should wait: the least, or as many as agents of the largest burst of late. A burst is what is started
 * between two times at which all seats waited, since none are made while agents are being started.
 */
export class SeatDemand {
  readonly #options: SeatDemandOptions;
  #started = 0;
  #largest = 0;

  constructor(options: SeatDemandOptions) {
    this.#options = options;
  }

  get wanted(): number {
    const { least, most } = this.#options;
    return Math.min(most, Math.max(least, this.#started, Math.floor(this.#largest)));
  }

  /** An agent is being started, in a seat or without. */
  note(): void {
    this.#started += 1;
  }

  /** As many seats wait as are wanted: a burst is over. */
  endBurst(): void {
    this.#largest = Math.max(this.#started, this.#largest * FADING);
    this.#started = 0;
  }

  /** Nothing was started for long. */
  forget(): void {
    this.#started = 0;
    this.#largest = 0;
  }
}
