import { randomUUID } from "node:crypto";
import {
  type Caller,
  CaretError,
  lastingCaller,
  type SessionImage,
  type Sessions,
  type SessionView,
  type StartedTurn,
} from "@caret/protocol";
import { machineWaitSql } from "../members/machine-wait.ts";
import type { Members } from "../members/members.ts";
import { ANYWHERE, machineQueue } from "../queue/job-queue.ts";
import type { NativeInput } from "../wire/turn-input.ts";
import type { AskWorker } from "./ask-worker.ts";
import { chooseWorker } from "./choose-worker.ts";
import type { ImportedPlaces } from "./imported-places.ts";
import type { ShownTurns } from "./shown-turns.ts";
import { type SubmitTurnOptions, submitTurn } from "./submit-turn.ts";

/** A turn that no worker starts within this time is answered as accepted: its machine may be away for long. */
const ACCEPTED_MS = 10_000;
/** Lanes whose sessions keep nothing on a machine but their workspace. */
const freeLanes = new Set(["api", "sim"]);

export interface FleetSessionsOptions extends SubmitTurnOptions {
  /** Handles everything that only reads or changes the log. */
  readonly local: Sessions;
  readonly shown: ShownTurns;
  readonly members: Members;
  readonly ask: AskWorker;
  readonly imports: Pick<ImportedPlaces, "machineOf">;
}

interface Place {
  /** Home of its workspace and chats. Undefined before its first turn. */
  readonly machine: string | undefined;
  readonly view: SessionView;
}

/** The native door's sessions on a gateway without agents: turns go to the queue, messages to running turns to their worker. */
export function createFleetSessions(options: FleetSessionsOptions): Sessions {
  const { local, shown, ask, database } = options;

  /** Rejects with `session-not-found` if this caller may not see it. */
  const placeOf = async (sessionId: string, caller: Caller): Promise<Place> => {
    const view = await local.get(sessionId, caller);
    const { rows } = await database.query("select home_machine from sessions where id = $1", [view.id], "read home");
    const machine = rows[0]?.["home_machine"];
    return { view, machine: typeof machine === "string" ? machine : undefined };
  };
  /** Asks the worker that runs a turn of the session. */
  const askRunner: AskSession = async (method, sessionId, args) => {
    const caller = args.at(-1) as Caller;
    await local.get(sessionId, caller);
    const running = await shown.owner(sessionId);
    if (running === undefined) throw nobodyWaits(sessionId);
    return await ask(running.worker, method, [sessionId, ...args]);
  };
  /** Asks any worker on the machine that has the session's files. */
  const askAtHome = async (method: keyof Sessions, machine: string | undefined, args: readonly unknown[]) =>
    await ask(await chooseWorker(options.members, { machine }), method, args);

  return {
    ...local,
    ...inDirectories(options),
    async delete(sessionId, caller) {
      const { machine } = await placeOf(sessionId, caller);
      await askAtHome("delete", machine, [sessionId, caller]);
    },
    ...madeHere(options),
    async startTurn(sessionId, wanted, caller) {
      const place = await placeOf(sessionId, caller);
      assertFree(place);
      const id = randomUUID();
      const input: NativeInput = { door: "native", sessionId, wanted, caller: withoutConnection(caller) };
      const turn = {
        id,
        key: sessionId,
        kind: "session",
        queue: queueOf(place),
        idempotencyKey: caller.command?.name,
        input,
      } as const;
      const submitted = await submitTurn(options, turn);
      if (turn.queue !== ANYWHERE) await showWait(options, sessionId);
      const begun = await submitted.begun(AbortSignal.timeout(ACCEPTED_MS));
      return (begun ?? { sessionId, turnId: submitted.id, firstSeq: place.view.lastSeq + 1 }) as StartedTurn;
    },
    async cancelTurn(sessionId, turnId, caller) {
      await local.get(sessionId, caller);
      if (await withdraw(options, sessionId, turnId)) await touch(options, sessionId);
      else await askRunner("cancelTurn", sessionId, [turnId, caller]);
    },
    ...saidToTurns(options, askRunner),
    ...notServed,
    async readImage(sessionId, name, caller) {
      const { machine } = await placeOf(sessionId, caller);
      const image = (await askAtHome("readImage", machine, [sessionId, name, caller])) as EncodedImage;
      return { mediaType: image.mediaType, bytes: Buffer.from(image.base64, "base64") } satisfies SessionImage;
    },
    ...filesAtHome(async (method, sessionId, args) => {
      const { machine } = await placeOf(sessionId, args.at(-1) as Caller);
      return await askAtHome(method, machine, [sessionId, ...args]);
    }),
  };
}

type AskSession = (method: keyof Sessions, sessionId: string, args: readonly unknown[]) => Promise<unknown>;

/** Operations on files of a session's workspace. */
function filesAtHome(ask: AskSession) {
  return {
    changes: async (sessionId, ...args) => (await ask("changes", sessionId, args)) as never,
    sessionChanges: async (sessionId, ...args) => (await ask("sessionChanges", sessionId, args)) as never,
    discardHunk: async (sessionId, ...args) => void (await ask("discardHunk", sessionId, args)),
    commitChanges: async (sessionId, ...args) => (await ask("commitChanges", sessionId, args)) as never,
  } satisfies Partial<Sessions>;
}

/** Operations for a machine that has the directory. */
function inDirectories({ members, ask }: FleetSessionsOptions) {
  const askWhere = async (method: keyof Sessions, workspace: string, args: readonly unknown[]) =>
    (await ask(await chooseWorker(members, { workspace }), method, args)) as never;
  return {
    async create({ machine, ...wanted }, caller) {
      const worker = await chooseWorker(members, { machine, workspace: wanted.workspace });
      return (await ask(worker, "create", [wanted, caller])) as never;
    },
    findFiles: (...asked) => askWhere("findFiles", asked[0], asked),
    findSymbols: (...asked) => askWhere("findSymbols", asked[0], asked),
    agentCommands: (...asked) => askWhere("agentCommands", asked[0], asked),
  } satisfies Partial<Sessions>;
}

/** Sessions that a gateway makes from events; their home is the machine that has their directory. */
function madeHere({ local, database, imports }: FleetSessionsOptions) {
  return {
    async fork(sessionId, wanted, caller) {
      const view = await local.fork(sessionId, wanted, caller);
      await database.query(
        "update sessions set home_machine = (select home_machine from sessions where id = $1) where id = $2",
        [sessionId, view.id],
      );
      return view;
    },
    async importSession(chunks, caller, where) {
      const own = { ...where };
      const view = await local.importSession(chunks, caller, own);
      const machine = imports.machineOf(own) ?? null;
      await database.query("update sessions set home_machine = $2 where id = $1", [view.id, machine]);
      return view;
    },
  } satisfies Partial<Sessions>;
}

/** What people say to running turns. */
function saidToTurns({ local, shown, ask }: FleetSessionsOptions, askRunner: AskSession) {
  return {
    steerTurn: async (sessionId, ...args) => void (await askRunner("steerTurn", sessionId, args)),
    answerQuestion: async (sessionId, ...args) => void (await askRunner("answerQuestion", sessionId, args)),
    answerApproval: async (sessionId, ...args) => (await askRunner("answerApproval", sessionId, args)) as never,
    async listGrants(sessionId, caller) {
      await local.get(sessionId, caller);
      const running = await shown.owner(sessionId);
      return running === undefined ? [] : ((await ask(running.worker, "listGrants", [sessionId, caller])) as never);
    },
    revokeGrant: async (sessionId, ...args) => void (await askRunner("revokeGrant", sessionId, args)),
  } satisfies Partial<Sessions>;
}

/** Needs a client on the agent's machine. */
const notServed = {
  offerServers: async () => notInFleet("MCP servers of a client"),
  followEditor: () => notInFleet("Editors"),
  answerEditor: async () => notInFleet("Editors"),
};

/** An image as a command carries it. */
export interface EncodedImage {
  readonly mediaType: string;
  readonly base64: string;
}

function queueOf({ machine, view: { lane } }: Place): string {
  return machine === undefined || (lane !== undefined && freeLanes.has(lane)) ? ANYWHERE : machineQueue(machine);
}

/** As on one machine, refuses a turn while another of the session runs. One still queued does not count: the new one goes behind it. */
function assertFree({ view: { id, status } }: Place): void {
  const isQueued = status.kind === "waiting" && status.waitsFor === "machine";
  if (status.kind === "running" || (status.kind === "waiting" && !isQueued))
    throw new CaretError("session-busy", `A turn of the session ${id} is still running`);
}

/** Withdraws a queued turn of this session, so it never starts. Returns false if it had started. */
async function withdraw(
  { database, notifier }: FleetSessionsOptions,
  sessionId: string,
  turnId: string,
): Promise<boolean> {
  const { count } = await database.query(
    "update turns set state = 'withdrawn', ended_at = now() where id = $1 and key = $2 and state = 'queued'",
    [turnId, sessionId],
  );
  notifier.hint({ kind: "turn", id: turnId });
  return count > 0;
}

/** Shows at once in lists that a turn waits for a machine that is away. */
async function showWait(options: FleetSessionsOptions, sessionId: string): Promise<void> {
  const { rows } = await options.database.query(`select ${machineWaitSql} from sessions where id = $1`, [sessionId]);
  if ((rows[0]?.["machine_wait"] ?? null) !== null) await touch(options, sessionId);
}

/** Makes every gateway read the session again. */
async function touch({ database, notifier }: FleetSessionsOptions, sessionId: string): Promise<void> {
  await database.query("update sessions set updated_at = greatest(updated_at, $2) where id = $1", [
    sessionId,
    Date.now(),
  ]);
  notifier.hint({ kind: "log", id: sessionId });
}

/** The gateway's connections mean nothing on the worker's machine. */
export function withoutConnection({ command, ...caller }: Caller): Caller {
  return { ...lastingCaller(caller), ...(command === undefined ? {} : { command }) };
}

function nobodyWaits(sessionId: string): CaretError {
  return new CaretError("not-found", `No turn of the session ${sessionId} runs (any more)`, {
    fix: "Look at the session: the turn has ended.",
  });
}

function notInFleet(what: string): never {
  throw new CaretError("unsupported", `${what} cannot be used through a gateway of a fleet`, {
    fix: "Use a gateway on the machine itself, without `--store`.",
  });
}
