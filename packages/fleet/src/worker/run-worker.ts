import type { Agents, CaretError, Comparisons, LaneName, Tracer } from "@caret/protocol";
import type { EventStore, RuntimeConversations, RuntimeSessions, SessionEngine } from "@caret/runtime";
import { createMembers, type WorkerAbout } from "../members/members.ts";
import { ANYWHERE, machineQueue, openJobQueue } from "../queue/job-queue.ts";
import { type Claim, createTurnQueue, type TakenTurn } from "../queue/turn-queue.ts";
import type { FleetSeat } from "../seat/fleet-seat.ts";
import type { Reply } from "../wire/reply.ts";
import { sharedTarget } from "../wire/shared-target.ts";
import type { ConversationInput, NativeInput } from "../wire/turn-input.ts";
import { commandHandlers, type RemoteParts } from "./command-handlers.ts";
import { createComparisonHolds } from "./comparison-holds.ts";
import { keepLeases } from "./keep-leases.ts";
import { createLiveWriter } from "./live-writer.ts";
import type { ComparisonPublisher } from "./publish-comparisons.ts";
import { reapLost } from "./reap-lost.ts";
import { recordUnbegun } from "./record-unbegun.ts";
import { type RunningClaims, type RunTaken, runClaims } from "./run-claims.ts";
import { runCommands } from "./run-commands.ts";
import { type RemoteShare, runConversationTurn } from "./run-conversation-turn.ts";
import type { RunNativeTurnOptions } from "./run-native-turn.ts";
import { leaseLost, runNativeTurn } from "./run-native-turn.ts";
import { whileHeld } from "./while-held.ts";
import type { WorkerMeter } from "./worker-meter.ts";

const SEEN_MS = 3_000;
/** What workers of earlier versions cannot do. */
const abilities = { takesShared: true, takesAgents: true };

export interface WorkerOptions {
  readonly seat: FleetSeat;
  readonly store: EventStore;
  /** The engine below these ports. */
  readonly engine: SessionEngine;
  readonly sessions: RuntimeSessions;
  readonly conversations: RuntimeConversations;
  readonly agents: Agents;
  readonly comparisons: Comparisons;
  readonly publisher: Pick<ComparisonPublisher, "published">;
  readonly version: string;
  readonly capacity: number;
  /** Lane of sessions that have none yet. */
  readonly lane: LaneName;
  /** Redacts what is kept. */
  readonly redact: (text: string) => string;
  /** What gateways show of this worker. */
  readonly about: () => Promise<Omit<WorkerAbout, "capacity" | "atWork" | "takesShared" | "takesAgents">>;
  /** If absent, nothing is traced. */
  readonly tracer?: Tracer | undefined;
  /** If absent, nothing is counted. */
  readonly meter?: WorkerMeter | undefined;
  readonly onError: (error: CaretError) => void;
}

export interface RunningWorker {
  /** Number of sessions and conversations it holds. */
  held(): number;
  /** Takes no more work and lets running turns end; queued ones are left to other workers. */
  drain(): Promise<void>;
  /** Interrupts running turns and leaves the fleet. */
  close(): Promise<void>;
}

/** Takes work from the fleet's queues and runs it on this machine. */
export async function runWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { seat, engine, capacity, meter, onError } = options;
  const { database, owner, listener, notifier, sealer, machine, leases } = seat;
  const home = machineQueue(machine);
  const jobs = await openJobQueue({ database, isWorker: true, onError });
  const queues = [home, ANYWHERE];
  await Promise.all(queues.map((queue) => jobs.open(queue))).catch((reason: unknown) =>
    jobs.close().then(() => Promise.reject(reason)),
  );
  const turns = createTurnQueue({ database, jobs, sealer, owner, home, now: Date.now });
  const shares = new Map<string, RemoteShare>();
  const holds = createComparisonHolds(options.comparisons, onError);
  const answered = async (claim: Claim, id: string, reply: Reply, lost: AbortSignal): Promise<void> => {
    // Keep trying: a gateway waiting for a stateless door's answer hears nothing else of a running turn.
    await whileHeld(() => turns.answer(claim, id, reply), lost).catch(onError);
    notifier.hint({ kind: "turn", id });
  };
  const record = recordUnbegun.bind(undefined, { ...options, database });
  const run: RunTaken = (taken, claim, lost) =>
    runTaken({ ...options, shares, recordUnbegun: record }, taken, { claim, lost, answered }).catch(onError);
  const { standing } = leases;
  const claims = runClaims({ jobs, turns, listener, standing, queues, capacity, run, meter, onError });
  const interrupt = (sessionIds: readonly string[]): void => {
    for (const sessionId of sessionIds) engine.runningTurn(sessionId)?.interrupt(leaseLost());
  };
  const onAllLost = (): void => interrupt(engine.runningTurns().map(({ sessionId }) => sessionId));
  let isLeaving = false;
  const presence = await keepSeen(options, { shares, holds, claims, isLeaving: () => isLeaving });
  const monotonic = (): number => performance.now();
  const ends = [
    keepLeases({ database, owner, claims, sessions: leases, onLost: interrupt, onAllLost, meter, onError, monotonic }),
    reapLost({ ...options, ...seat, jobs, sessions: leases, recordUnbegun: record }),
    runCommands({
      database,
      sealer,
      listener,
      notifier,
      owner,
      shared: sharedTarget(machine),
      isLeaving: () => isLeaving,
      handlers: commandHandlers(options, { shares, holds }),
      onError,
    }),
  ];
  return {
    held: () => claims.held().length,
    async drain() {
      isLeaving = true;
      await presence.beSeen();
      await claims.drain();
      // Turns begun by agents and comparisons are in no queue.
      await Promise.all(engine.runningTurns().map(({ settled }) => settled));
    },
    async close() {
      isLeaving = true;
      const drained = claims.drain();
      await engine.interruptTurns();
      for (const share of shares.values()) share.leave("gone");
      await drained;
      presence.end();
      for (const end of ends) await end();
      await presence.leave();
      await jobs.close();
    },
  };
}

interface Present extends RemoteParts {
  readonly claims: Pick<RunningClaims, "held">;
  readonly isLeaving: () => boolean;
}

/** Announces that this worker is present, now and every few seconds. */
async function keepSeen(options: WorkerOptions, { shares, holds, claims, isLeaving }: Present) {
  const { seat, capacity, version, onError } = options;
  const { owner: id, machine } = seat;
  const members = createMembers(seat.database);
  const note = async (): Promise<void> => {
    const about = { ...(await options.about()), capacity, atWork: claims.held().length, ...abilities };
    const there = await members.note({ id, role: "worker", machine, version, about, isLeaving: isLeaving() });
    // A gateway that is gone has taken its clients with it.
    for (const share of shares.values()) if (!there.includes(share.gateway)) share.leave("gone");
    holds.keepOnly(there);
  };
  // Must not reject: if the database misses this beat it gets the next, and the worker may already have work.
  const beSeen = (): Promise<void> => note().catch(onError);
  await beSeen();
  const seen = setInterval(() => void beSeen(), SEEN_MS);
  return { beSeen, end: () => clearInterval(seen), leave: () => members.leave(id).catch(onError) };
}

interface Running {
  readonly claim: Claim;
  readonly lost: AbortSignal;
  readonly answered: (claim: Claim, id: string, reply: Reply, lost: AbortSignal) => Promise<void>;
}

async function runTaken(
  options: WorkerOptions & Pick<RunNativeTurnOptions, "recordUnbegun"> & { readonly shares: Map<string, RemoteShare> },
  taken: TakenTurn,
  { claim, lost, answered }: Running,
): Promise<void> {
  const { id } = taken;
  const asked = taken.input as NativeInput | ConversationInput;
  const answer = (reply: Reply): Promise<void> => answered(claim, id, reply, lost);
  if (options.tracer !== undefined) traceWait(options.tracer, taken, asked);
  if (asked.door === "native") return await runNativeTurn({ ...options, answer }, taken, asked, lost);
  const live = createLiveWriter({ ...options.seat, share: id, lost });
  await runConversationTurn({ ...options, answer, live }, id, asked, lost);
}

/** The time in the queue is known only afterwards, so the span lies in the past. */
function traceWait(tracer: Tracer, { waitedMs }: TakenTurn, { door, caller }: NativeInput | ConversationInput): void {
  const startedAt = Date.now() - waitedMs;
  tracer.start("queue wait", { parent: caller.traceparent, startedAt, attributes: { "caret.door": door } }).end();
}
