/** A spawner without requests for this long is idle. */
const REST_MS = 1_000;

/**
 * Does something once, at the first idle time. The spawner then collects the garbage of its start. Later it leaves that to V8: a
 * collection takes as long as starting ten agents.
 */
export class FirstRest {
  #timer: NodeJS.Timeout | undefined;

  constructor(onRest: () => void, restMs = REST_MS) {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      onRest();
    }, restMs).unref();
  }

  putOff(): void {
    this.#timer?.refresh();
  }
}
