import type { CaretError, LaneName, Sessions, Tracer } from "@caret/protocol";
import type { EventStore, RuntimeConversations, RuntimeSessions, SessionEngine } from "@caret/runtime";
import { ANYWHERE, machineQueue, openJobQueue } from "../queue/job-queue.ts";
import { type Claim, createTurnQueue, type TakenTurn } from "../queue/turn-queue.ts";
import type { FleetSeat } from "../wire/fleet-seat.ts";
import { createMembers, type WorkerAbout } from "../wire/members.ts";
import type { Reply } from "../wire/reply.ts";
import { sharedTarget } from "../wire/shared-target.ts";
import { keepLeases } from "./keep-leases.ts";
import { createLiveWriter } from "./live-writer.ts";
import { reapLost } from "./reap-lost.ts";
import { recordUnbegun } from "./record-unbegun.ts";
import { type RunTaken, runClaims } from "./run-claims.ts";
import { type CommandHandlers, runCommands } from "./run-commands.ts";
import { type ConversationInput, type RemoteShare, runConversationTurn } from "./run-conversation-turn.ts";
import type { RunNativeTurnOptions } from "./run-native-turn.ts";
import { leaseLost, type NativeInput, runNativeTurn } from "./run-native-turn.ts";

const SEEN_MS = 3_000;

export interface WorkerOptions {
  readonly seat: FleetSeat;
  readonly store: EventStore;
  /** The engine that the ports below run on. */
  readonly engine: SessionEngine;
  readonly sessions: RuntimeSessions;
  readonly conversations: RuntimeConversations;
  readonly version: string;
  readonly capacity: number;
  /** The lane of sessions that have none yet. */
  readonly lane: LaneName;
  /** Takes secrets out of what is kept. */
  readonly redact: (text: string) => string;
  /** What gateways show of this worker. */
  readonly about: () => Promise<Omit<WorkerAbout, "capacity" | "atWork" | "takesShared">>;
  /** Absent: nothing is traced. */
  readonly tracer?: Tracer | undefined;
  readonly onError: (error: CaretError) => void;
}

export interface RunningWorker {
  /** Takes no more work, and lets what runs here end; what waits is left to other workers. */
  drain(): Promise<void>;
  /** Stops what runs, as interrupted, and leaves the fleet. */
  close(): Promise<void>;
}

/** Takes work from the queues of the fleet and runs it on this machine. */
export async function runWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { seat, engine, capacity, onError } = options;
  const { database, owner, listener, notifier, sealer, machine, leases } = seat;
  const home = machineQueue(machine);
  const jobs = await openJobQueue({ database, isWorker: true, onError });
  await Promise.all([home, ANYWHERE].map((queue) => jobs.open(queue))).catch(async (reason: unknown) => {
    await jobs.close();
    throw reason;
  });
  const turns = createTurnQueue({ database, jobs, sealer, owner, home, now: Date.now });
  const shares = new Map<string, RemoteShare>();
  const answered = async (claim: Claim, id: string, reply: Reply): Promise<void> => {
    // A gateway that hears nothing sees the turn in the log, or that it was interrupted.
    await turns.answer(claim, id, reply).catch(onError);
    notifier.hint({ kind: "turn", id });
  };
  const record = recordUnbegun.bind(undefined, { ...options, database, leases });
  const run: RunTaken = (taken, claim, lost) =>
    runTaken({ ...options, shares, recordUnbegun: record }, taken, { claim, lost, answered }).catch(onError);
  const claims = runClaims({ jobs, turns, listener, queues: [home, ANYWHERE], capacity, run, onError });
  const interrupt = (sessionIds: readonly string[]): void => {
    for (const sessionId of sessionIds) engine.runningTurn(sessionId)?.interrupt(leaseLost());
  };
  const onAllLost = (): void => interrupt(engine.runningTurns().map(({ sessionId }) => sessionId));
  const members = createMembers(database);
  let isLeaving = false;
  const beSeen = async (): Promise<void> => {
    const about = { ...(await options.about()), capacity, atWork: claims.held().length, takesShared: true };
    await members.note({ id: owner, role: "worker", machine, version: options.version, about, isLeaving });
    await leaveLost(
      shares,
      (await members.list()).filter(({ isThere }) => isThere).map(({ id }) => id),
    );
  };
  // One that the database does not hear of now is seen with the next beat: it may have taken work already.
  await beSeen().catch(onError);
  const seen = setInterval(() => void beSeen().catch(onError), SEEN_MS);
  const monotonic = (): number => performance.now();
  const ends = [
    keepLeases({ database, owner, claims, sessions: leases, onLost: interrupt, onAllLost, onError, monotonic }),
    reapLost({ ...options, database, owner, jobs, sealer, sessions: leases, notifier, recordUnbegun: record }),
    runCommands({
      database,
      sealer,
      listener,
      notifier,
      owner,
      shared: sharedTarget(machine),
      isLeaving: () => isLeaving,
      handlers: handlersOf(options, shares),
      onError,
    }),
  ];
  return {
    async drain() {
      isLeaving = true;
      await beSeen().catch(onError);
      await claims.drain();
    },
    async close() {
      isLeaving = true;
      const drained = claims.drain();
      await engine.interruptTurns();
      for (const share of shares.values()) share.leave("gone");
      await drained;
      clearInterval(seen);
      for (const end of ends) await end();
      await members.leave(owner).catch(onError);
      await jobs.close();
    },
  };
}

interface Running {
  readonly claim: Claim;
  readonly lost: AbortSignal;
  readonly answered: (claim: Claim, id: string, reply: Reply) => Promise<void>;
}

async function runTaken(
  options: WorkerOptions & Pick<RunNativeTurnOptions, "recordUnbegun"> & { readonly shares: Map<string, RemoteShare> },
  taken: TakenTurn,
  { claim, lost, answered }: Running,
): Promise<void> {
  const { id } = taken;
  const asked = taken.input as NativeInput | ConversationInput;
  const answer = (reply: Reply): Promise<void> => answered(claim, id, reply);
  if (options.tracer !== undefined) traceWait(options.tracer, taken, asked);
  if (asked.door === "native") return await runNativeTurn({ ...options, answer }, taken, asked, lost);
  const live = createLiveWriter({ ...options.seat, share: id });
  await runConversationTurn({ ...options, answer, live }, id, asked, lost);
}

/** The time in the queue is over when it is known: a span of the past. */
function traceWait(tracer: Tracer, { waitedMs }: TakenTurn, { door, caller }: NativeInput | ConversationInput): void {
  const startedAt = Date.now() - waitedMs;
  tracer.start("queue wait", { parent: caller.traceparent, startedAt, attributes: { "caret.door": door } }).end();
}

/** A gateway that is gone has taken its clients with it. */
async function leaveLost(shares: ReadonlyMap<string, RemoteShare>, there: readonly string[]): Promise<void> {
  for (const share of shares.values()) if (!there.includes(share.gateway)) share.leave("gone");
}

/** What gateways may ask of this worker. */
function handlersOf({ sessions, seat }: WorkerOptions, shares: ReadonlyMap<string, RemoteShare>): CommandHandlers {
  const { cancelTurn, steerTurn, answerQuestion, answerApproval, listGrants, revokeGrant } = sessions;
  const { changes, sessionChanges, discardHunk, commitChanges, findFiles, findSymbols, agentCommands } = sessions;
  return {
    ...{ cancelTurn, steerTurn, answerQuestion, answerApproval, listGrants, revokeGrant },
    ...{ changes, sessionChanges, discardHunk, commitChanges, findFiles, findSymbols, agentCommands },
    delete: sessions.delete,
    async create(...asked: Parameters<Sessions["create"]>) {
      const view = await sessions.create(...asked);
      await seat.database.query("update sessions set home_machine = $2 where id = $1", [view.id, seat.machine]);
      return view;
    },
    async readImage(...asked: Parameters<Sessions["readImage"]>) {
      const { mediaType, bytes } = await sessions.readImage(...asked);
      return { mediaType, base64: Buffer.from(bytes).toString("base64") };
    },
    async leaveShare(id: string, how: "answered" | "gone") {
      shares.get(id)?.leave(how);
    },
    async stopShare(id: string, reason: string) {
      shares.get(id)?.stop(reason);
    },
  };
}
