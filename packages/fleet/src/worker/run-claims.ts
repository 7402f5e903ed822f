import { CaretError } from "@caret/protocol";
import type { JobQueue, KeyJob } from "../queue/job-queue.ts";
import type { LeaseStanding } from "../queue/lease-standing.ts";
import type { Claim, Next, TakenTurn, TurnQueue } from "../queue/turn-queue.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import type { WorkerMeter } from "./worker-meter.ts";

/** Runs one turn to its end. Aborted: the key was lost, and with it the right to write. Must not reject. */
export type RunTaken = (turn: TakenTurn, claim: Claim, lost: AbortSignal) => Promise<void>;

export interface RunClaimsOptions {
  readonly jobs: JobQueue;
  readonly turns: TurnQueue;
  readonly listener: HintListener;
  /** Whether it can be sure of what it holds. */
  readonly standing: LeaseStanding;
  /** Where this worker takes work from, the first before the second. */
  readonly queues: readonly string[];
  /** How many keys it holds at once. */
  readonly capacity: number;
  readonly run: RunTaken;
  readonly meter?: Pick<WorkerMeter, "claimed"> | undefined;
  readonly onError: (error: CaretError) => void;
}

export interface RunningClaims {
  /** Keys that are held, with the numbers under which they are. Not those that were lost, of which something may still run. */
  held(): readonly Claim[];
  /** These are another worker's by now; or this one's, under another number. */
  lose(claims: readonly Claim[]): void;
  /** Takes nothing more: what waits is left to other workers. Resolves when nothing is held. */
  drain(): Promise<void>;
}

interface Held {
  readonly claim: Claim;
  readonly lost: AbortController;
  readonly over: Promise<void>;
  /** Something may wait that did not. */
  look(): void;
}

export function runClaims(options: RunClaimsOptions): RunningClaims {
  const { jobs, turns, listener, standing, queues, capacity, onError } = options;
  const held = new Map<string, Held>();
  let isLeaving = false;
  let fetching: Promise<void> | undefined;
  let isWanted = false;

  const begin = async (job: KeyJob): Promise<void> => {
    const { lapses } = standing;
    const claim = await turns.claim(job);
    if (claim === undefined) return;
    // Claimed before a cut and answered after it: the lease may have run out, and the key is given back.
    if (standing.lapses !== lapses) return void (await turns.next(claim, unwanted));
    options.meter?.claimed();
    const work = createKeyWork(options, claim, () => isLeaving);
    held.set(claim.key, work);
    void work.over.then(() => {
      // A key that was lost may have been claimed again meanwhile.
      if (held.get(claim.key) === work) held.delete(claim.key);
      look();
    });
  };
  const fetchOnce = async (): Promise<void> => {
    for (const queue of queues) {
      const free = capacity - held.size;
      if (free <= 0 || isLeaving || !standing.isSure) return;
      const found = await jobs.fetch(queue, free);
      await Promise.all(found.map(begin));
    }
  };
  const fetchAll = async (): Promise<void> => {
    while (isWanted && !isLeaving) {
      isWanted = false;
      await fetchOnce().catch((reason: unknown) => {
        // The database may be away: the next poll tries again.
        for (const queue of queues) listener.again("work", queue);
        onError(CaretError.from(reason));
      });
    }
    fetching = undefined;
  };
  const look = (): void => {
    isWanted = true;
    fetching ??= fetchAll();
  };
  const ends = queues.map((queue) => listener.on("work", queue, look));
  standing.onSure(look);
  look();

  return {
    held: () => [...held.values()].flatMap(({ claim, lost }) => (lost.signal.aborted ? [] : [claim])),
    lose(claims) {
      for (const { key, fence } of claims) {
        const work = held.get(key);
        if (work?.claim.fence === fence) work.lost.abort("lost");
      }
    },
    async drain() {
      isLeaving = true;
      for (const end of ends) end();
      await fetching;
      for (const work of held.values()) work.look();
      await Promise.all([...held.values()].map(({ over }) => over));
    },
  };
}

/** Nothing of the key was begun: what waits is for another claim of it. */
const unwanted = { ended: [], isIdle: true, isLeaving: true } as const;

/** Everything of one key, until it is given up or lost. */
function createKeyWork(options: RunClaimsOptions, claim: Claim, isLeaving: () => boolean): Held {
  const { turns, run, listener, onError } = options;
  const lost = new AbortController();
  const running = new Map<string, Promise<void>>();
  let ended: string[] = [];
  /** The last answer of the queue did not come: what it said is unknown. */
  let isUnsure = false;
  let bell = Promise.withResolvers<void>();
  const ring = (): void => bell.resolve();
  lost.signal.addEventListener("abort", ring, { once: true });
  const stopListening = listener.on("key", claim.key, ring);

  const start = (taken: TakenTurn): void => {
    const going = run(taken, claim, lost.signal).then(() => {
      running.delete(taken.id);
      ended.push(taken.id);
      ring();
    });
    running.set(taken.id, going);
  };
  const next = async (): Promise<Next> => {
    if (claim.kind === "session" && running.size > 0) return "later";
    const reported = ended;
    const known = isUnsure ? [...running.keys(), ...reported] : undefined;
    try {
      const how = { ended: reported, isIdle: running.size === 0, isLeaving: isLeaving(), known };
      const found = await turns.next(claim, how);
      ended = ended.slice(reported.length);
      isUnsure = false;
      // What was taken in the moment in which the key was lost is the next worker's to end.
      return lost.signal.aborted ? "lost" : found;
    } catch (reason) {
      // The database may be away: the next poll asks again.
      isUnsure = true;
      listener.again("key", claim.key);
      onError(CaretError.from(reason));
      return "later";
    }
  };
  const loop = async (): Promise<void> => {
    while (!lost.signal.aborted) {
      bell = Promise.withResolvers();
      const found = await next();
      if (found === "lost") lost.abort("lost");
      if (found === "over") break;
      if (typeof found === "object") start(found);
      else await bell.promise;
    }
    await Promise.all(running.values());
    stopListening();
  };
  return { claim, lost, over: loop(), look: ring };
}
