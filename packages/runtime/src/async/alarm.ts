import { LONGEST_TIMER_MS } from "@caret/protocol";

/**
 * A timer that can be reset at any time: if it would fire too early it is left to run and then re-armed; only one that would fire too late
 * is replaced.
 *
 * Its owner closes it when nothing may ring any more: a callback that is still running, having ended its owner, then cannot re-arm it. A
 * forgotten timer would keep the process alive for as long as a turn may last.
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

  /** Rings `waitMs` from now, not earlier; never if infinite. A closed alarm never rings. */
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
    // A sleeping machine or a busy loop delays timers: whatever arrived in the meantime counts as in time.
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
