import type { ClientProcess } from "../process/find-client-process.ts";

/** A process still alive this long after its answer runs the calls itself; one that sends a script's request has ended by then. */
const CHECK_MS = 1_000;

export interface TurnAttendanceOptions {
  /** Whether calls of the turn wait for a client that was sent them. */
  readonly waitsForClient: () => boolean;
  /** Called when the turn has no client and none is expected back. */
  readonly onAbandoned: (why: string) => void;
  /** How long a turn continues without listeners; a client that lost its connection may return within that time. */
  readonly graceMs: number;
  /** How long calls wait for a client whose process ended as soon as it was answered. */
  readonly goneMs: number;
  readonly now: () => number;
}

/** Tracks the clients a turn is answering, and what happens once there are none. */
interface TurnAttendance {
  readonly isAttended: boolean;
  enter(): void;
  leave(client: Promise<ClientProcess | undefined>): void;
  /** A call of the turn ended without its client. */
  noteUnanswered(why: "late" | "given-up"): void;
  /** Resolves once no client is being answered; at once if none is. */
  abandoned(): Promise<void>;
  /** A client has all it wanted of a turn whose work continues: it needs no client any more, and a client that leaves cannot end it. */
  release(): void;
  isReleased(): boolean;
  /** The turn is over or given up: stop waiting for clients. */
  close(): void;
}

export function createTurnAttendance(options: TurnAttendanceOptions): TurnAttendance {
  const { waitsForClient, onAbandoned, graceMs } = options;
  let shares = 0;
  let isClosed = false;
  let isReleased = false;
  let timer: NodeJS.Timeout | undefined;
  let stopWatching = (): void => undefined;
  let bell = Promise.withResolvers<void>();

  const stopWaiting = (): void => {
    clearTimeout(timer);
    stopWatching();
  };

  const giveGrace = (): void => {
    // Only the newest timer can be cleared: a lost one would end the turn of a client that came back.
    clearTimeout(timer);
    timer = setTimeout(onAbandoned, graceMs, "The client has left").unref();
  };

  return {
    get isAttended() {
      return shares > 0;
    },
    enter() {
      if (shares === 0) bell = Promise.withResolvers<void>();
      shares += 1;
      stopWaiting();
    },
    leave(client) {
      shares -= 1;
      if (shares > 0) return;
      bell.resolve();
      if (isClosed || isReleased) return;
      if (!waitsForClient()) return giveGrace();
      stopWatching = watchClient(client, options, () => onAbandoned("The client's process is gone"));
    },
    noteUnanswered(why) {
      if (shares > 0 || isClosed || isReleased) return;
      // No client would hear what the agent makes of a missing result, or run its next call.
      if (why === "late") onAbandoned("The client gave no result in time");
      else if (!waitsForClient()) giveGrace();
    },
    abandoned: () => (shares === 0 ? Promise.resolve() : bell.promise),
    release() {
      isReleased = true;
      stopWaiting();
    },
    isReleased: () => isReleased,
    close() {
      isClosed = true;
      stopWaiting();
    },
  };
}

/**
 * Detects when the client is gone. A client whose process ran the calls is gone as soon as the process is. If the process ended with its
 * answer, it need not be the client itself: a script may send each request from a separate program and return with the next one within
 * `goneMs`. Returns `stop()`.
 */
function watchClient(
  client: Promise<ClientProcess | undefined>,
  { goneMs, now }: { readonly goneMs: number; readonly now: () => number },
  onGone: () => void,
): () => void {
  let timer: NodeJS.Timeout | undefined;
  let hasStopped = false;
  let hasLivedOn = false;
  let goneSince: number | undefined;
  const stop = (): void => {
    hasStopped = true;
    clearInterval(timer);
  };
  const check = (known: ClientProcess): void => {
    if (known.isAlive()) {
      hasLivedOn = true;
      return;
    }
    goneSince ??= now();
    if (!hasLivedOn && now() - goneSince < goneMs) return;
    stop();
    onGone();
  };
  void client.then((known) => {
    if (known === undefined || hasStopped) return;
    timer = setInterval(check, Math.min(CHECK_MS, goneMs), known).unref();
  });
  return stop;
}
