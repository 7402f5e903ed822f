import { CaretError } from "@caret/protocol";
import type { JobQueue, KeyJob } from "../queue/job-queue.ts";
import type { LeaseStanding } from "../queue/lease-standing.ts";
import type { Claim, Next, TakenTurn, TurnQueue } from "../queue/turn-queue.ts";
import type { HintListener } from "../seat/hint-listener.ts";
import type { WorkerMeter } from "./worker-meter.ts";

/** Runs one turn to its end. `lost` aborts when the key, and with it the right to write, is lost. Must not reject. */
export type RunTaken = (turn: TakenTurn, claim: Claim, lost: AbortSignal) => Promise<void>;

export interface RunClaimsOptions {
  readonly jobs: JobQueue;
  readonly turns: TurnQueue;
  readonly listener: HintListener;
  /** Whether this worker can be sure of what it holds. */
  readonly standing: LeaseStanding;
  /** Queues this worker takes work from, in order of preference. */
  readonly queues: readonly string[];
  /** Most keys held at once. */
  readonly capacity: number;
  readonly run: RunTaken;
  readonly meter?: Pick<WorkerMeter, "claimed"> | undefined;
  readonly onError: (error: CaretError) => void;
}

export interface RunningClaims {
  /** Keys held, with their fences. Excludes lost ones, even if something of them still runs. */
  held(): readonly Claim[];
  /** Another worker has these by now, or this one under another fence. */
  lose(claims: readonly Claim[]): void;
  /** Takes nothing more; queued work is left to other workers. Resolves when no key is held. */
  drain(): Promise<void>;
}

interface Held {
  readonly claim: Claim;
  readonly lost: AbortController;
  readonly over: Promise<void>;
  /** Something may be waiting now. */
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
    // Claimed before a cut and answered after it: the lease may have expired, so give the key back.
    if (standing.lapses !== lapses) return void (await turns.next(claim, unwanted));
    options.meter?.claimed();
    const work = createKeyWork(options, claim, () => isLeaving);
    held.set(claim.key, work);
    void work.over.then(() => {
      // A lost key may have been claimed again meanwhile.
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

/** Gives a key back without having begun anything; queued work is left for its next claim. */
const unwanted = { ended: [], isIdle: true, isLeaving: true } as const;

/** All work of one key, until it is given up or lost. */
function createKeyWork(options: RunClaimsOptions, claim: Claim, isLeaving: () => boolean): Held {
  const { turns, run, listener, onError } = options;
  const lost = new AbortController();
  const running = new Map<string, Promise<void>>();
  let ended: string[] = [];
  /** The queue's last reply did not arrive, so the outcome of that call is unknown. */
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
      // A turn taken at the moment the key was lost is the next worker's to end.
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
