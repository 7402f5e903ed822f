import { LONGEST_TIMER_MS } from "@caret/protocol";

/**
 * Rings when a time has passed that may be set again at any time: a timer that would fire too early is left to
 * run and armed again then, only one that would fire too late is replaced.
 *
 * Its owner closes it when nothing may ring any more: whatever still runs then, on its way out of a callback that ended its owner,
 * cannot arm it again. A timer that nobody waits for would keep the process alive for as long as a turn may last.
 */
export class Alarm {
  readonly #ring: () => void;
  #deadline = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = 0;
  #isClosed = false;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  /** Rings in so many milliseconds from now, and no earlier; without end: never. A closed one never rings. */
  set(waitMs: number): void {
    if (this.#isClosed) return;
    if (waitMs === Number.POSITIVE_INFINITY) {
      this.#deadline = waitMs;
      return;
    }
    const now = performance.now();
    this.#deadline = now + waitMs;
    if (this.#timer !== undefined && this.#firesAt <= this.#deadline) return;
    clearTimeout(this.#timer);
    const timerMs = Math.min(Math.max(waitMs, 0), LONGEST_TIMER_MS);
    this.#firesAt = now + timerMs;
    this.#timer = setTimeout(this.#onTimer, timerMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#deadline = Number.POSITIVE_INFINITY;
  }

  close(): void {
    this.clear();
    this.#isClosed = true;
  }

  readonly #onTimer = (): void => {
    this.#timer = undefined;
    if (this.#leftMs() > 0) return this.set(this.#leftMs());
    // A machine that slept or a busy loop makes timers late: what has come meanwhile counts as in time.
    setImmediate(() => {
      if (this.#leftMs() > 0) return this.set(this.#leftMs());
      this.#deadline = Number.POSITIVE_INFINITY;
      this.#ring();
    });
  };

  #leftMs(): number {
    return this.#deadline - performance.now();
  }
}
