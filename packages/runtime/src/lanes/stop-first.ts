/** What works for a turn on a lane: a process, a session of one, a stream of the upstream. */
export interface AtWork {
  /**
   * Ends it now: from the call on nothing of it is answered, and after its grace it has no effect. Called once. It waits for nothing that
   * the log, the database or a client must do first.
   */
  readonly stop: (why: string) => Promise<void>;
  /** The turn has ended by itself: what worked for it may leave by itself for a moment. A `stop` may still follow. */
  readonly leave: () => Promise<void>;
}

/** To be called as soon as the end of a turn is known, before it is given: `ended` is the upstream's own end. */
export type Over = (why: string) => void;

/**
 * The one way in which a lane works for a turn and leaves it: stop first, then settle. What works is stopped in the very call in which the
 * signal aborts, or in which the lane finds that the turn is over for a reason of its own, such as a clock. Giving what is left
 * may then take as long as the log does. Resolves when `work` is done and nothing is left at work.
 */
export async function stopFirst<Outcome>(
  signal: AbortSignal,
  { stop, leave }: AtWork,
  work: (over: Over) => Promise<Outcome>,
): Promise<Outcome> {
  let stopped: Promise<void> | undefined;
  let left: Promise<void> | undefined;
  const end = (why: string): void => {
    stopped ??= stop(why);
  };
  const onAbort = (): void => end("aborted");
  const over: Over = (why) => {
    if (why === "ended") left ??= leave();
    else end(why);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await work(over);
  } finally {
    if (left === undefined) end("the log takes no more");
    await left;
    signal.removeEventListener("abort", onAbort);
    await stopped;
  }
}
