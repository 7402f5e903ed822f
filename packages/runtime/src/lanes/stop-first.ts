/** What works for a turn on a lane: a process, a session in one, an upstream stream. */
export interface AtWork {
  /**
   * Ends it now: from this call on it gets no answers, and after its grace period it has no effect. Called once. Must not wait for the
   * log, the database or a client.
   */
  readonly stop: (why: string) => Promise<void>;
  /** The turn ended by itself: what worked for it has a moment to leave. A `stop` may still follow. */
  readonly leave: () => Promise<void>;
}

/** Call it as soon as the end of a turn is known, before passing it on: `ended` is upstream's own end. */
export type Over = (why: string) => void;

/**
 * The only way for a lane to work for a turn and leave it: stop first, then settle. The work is stopped within the very call in which the
 * signal aborts, or in which the lane finds the turn over for a reason of its own, such as a clock. Passing on the rest may then take as
 * long as the log does. Resolves when `work` is done and nothing is left running.
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
