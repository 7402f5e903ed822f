import type { ClientProcess } from "../process/find-client-process.ts";

/** A process that is there so long after its answer runs the calls itself; one that sends a script's request has ended by then. */
const CHECK_MS = 1_000;

export interface TurnAttendanceOptions {
  /** Calls of the turn wait for a client that was sent them. */
  readonly waitsForClient: () => boolean;
  /** Nobody attends the turn, and nobody is expected back. */
  readonly onAbandoned: (why: string) => void;
  /** How long a turn goes on when nobody listens any more; a client that lost its connection may come back meanwhile. */
  readonly graceMs: number;
  /** How long calls wait for a client whose process ended as soon as it was answered. */
  readonly goneMs: number;
  readonly now: () => number;
}

/** Who is being answered by a turn, and what happens when nobody is. */
interface TurnAttendance {
  readonly isAttended: boolean;
  enter(): void;
  leave(client: Promise<ClientProcess | undefined>): void;
  /** A call of the turn has ended without its client. */
  noteUnanswered(why: "late" | "given-up"): void;
  /** Resolves as soon as nobody is being answered; at once when nobody is. */
  abandoned(): Promise<void>;
  /** A client has all it wanted of a turn whose work goes on: nobody has to attend it any more, nor can end it by leaving. */
  release(): void;
  isReleased(): boolean;
  /** The turn is over, or given up: nobody is waited for any more. */
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
    // Only the newest can be called off: one that is forgotten would end the turn of a client that came back.
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
      // Nobody would hear what the agent makes of having no result, or would run what it calls next.
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
 * Tells when the client is gone. One whose process ran the calls is gone with it, at once. Where the process ended with its answer, it
 * need not be the client itself: a script may send each request by a program of its own, and come back with the next one, within
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
