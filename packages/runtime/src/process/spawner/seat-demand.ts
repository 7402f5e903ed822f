/** Factor by which each burst reduces the remembered size of a larger one. */
const FADING = 0.9;

export interface SeatDemandOptions {
  /** Seats wanted at least, however few are used. */
  readonly least: number;
  /** The maximum, however many agents start at once. */
  readonly most: number;
}

/**
 * How many seats should wait: the minimum, or as many as the largest recent burst of agents. A burst is what is started between two times
 * at which all seats waited, because none are made while agents are being started.
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

  /** An agent is being started, with or without a seat. */
  note(): void {
    this.#started += 1;
  }

  /** All wanted seats wait: the burst is over. */
  endBurst(): void {
    this.#largest = Math.max(this.#started, this.#largest * FADING);
    this.#started = 0;
  }

  /** Nothing was started for a long time. */
  forget(): void {
    this.#started = 0;
    this.#largest = 0;
  }
}
