import { type Agents, type AgentView, type Caller, CaretError } from "@caret/protocol";
import type { Database } from "../database/open-database.ts";
import type { Member, Members } from "../members/members.ts";
import type { AgentCommand, AgentMethod } from "../wire/worker-commands.ts";
import type { AskWorker } from "./ask-worker.ts";
import { chooseWorker, machineAway } from "./choose-worker.ts";
import { withoutConnection } from "./fleet-sessions.ts";
import type { ShownTurns } from "./shown-turns.ts";

export interface FleetAgentsOptions {
  /** Reads agents and queues and queues messages, all in the database. Starts no turns. */
  readonly local: Agents;
  readonly database: Database;
  readonly members: Members;
  readonly shown: Pick<ShownTurns, "owner">;
  readonly ask: AskWorker;
}

/** Named agents on a gateway without agents. Each lives on the machine that made it, and its turns start there. */
export function createFleetAgents(options: FleetAgentsOptions): Agents {
  const { local, members, shown } = options;
  const ask = (worker: string, method: AgentMethod, args: readonly unknown[]): Promise<unknown> =>
    options.ask(worker, `agents.${method}` satisfies AgentCommand, args);

  /** Asks the worker that runs a turn of the session, else any on its machine. */
  const askAtHome = async (method: AgentMethod, sessionId: string, args: readonly unknown[]): Promise<unknown> => {
    const running = await shown.owner(sessionId);
    const machine = (await homesOf(options, [sessionId])).get(sessionId);
    return await ask(running?.worker ?? (await chooseWorker(members, { machine })), method, args);
  };
  /** Rejects with `not-found` before any worker is asked if this caller may not see the agent. */
  const askAbout = async (method: AgentMethod, name: string, caller: Caller, ...more: readonly unknown[]) => {
    const { sessionId } = await local.get(name, caller);
    return (await askAtHome(method, sessionId, [name, ...more, withoutConnection(caller)])) as never;
  };
  /** Why queued work does not start: its machine is away, or the reason given by the worker that tries to start it. */
  const problemAt = async (sessionId: string, read: (worker: string) => Promise<string | undefined>) => {
    const machine = (await homesOf(options, [sessionId])).get(sessionId);
    if (machine === undefined) return undefined;
    const [starter] = startersOn(await members.list(), machine);
    // If that worker was just lost, another follows it and has no problem yet.
    return starter === undefined ? machineAway(machine) : await read(starter.id).catch(() => undefined);
  };

  return {
    ...local,
    async create({ machine, ...wanted }, caller, createdBy) {
      // An undefined argument would arrive as null.
      const maker = createdBy === undefined ? [] : [createdBy];
      const worker = await chooseWorker(members, { machine, workspace: wanted.worktree ?? wanted.workspace });
      return (await ask(worker, "create", [wanted, withoutConnection(caller), ...maker])) as AgentView;
    },
    list: async (caller) => await withAwayMachines(options, await local.list(caller)),
    async get(name, caller) {
      const view = await local.get(name, caller);
      if (view.doing.kind !== "queued") return view;
      const read = async (worker: string) =>
        problemOf((await ask(worker, "get", [name, withoutConnection(caller)])) as AgentView);
      return withProblem(view, await problemAt(view.sessionId, read));
    },
    async queue(sessionId, caller) {
      const view = await local.queue(sessionId, caller);
      if (view.prompts.length === 0) return view;
      const read = async (worker: string) =>
        ((await ask(worker, "queue", [sessionId, withoutConnection(caller)])) as typeof view).problem;
      const problem = await problemAt(sessionId, read);
      return problem === undefined ? view : { ...view, problem };
    },
    async startQueued(sessionId, caller) {
      await local.queue(sessionId, caller);
      return (await askAtHome("startQueued", sessionId, [sessionId, withoutConnection(caller)])) as never;
    },
    // A machine that is away runs nothing of an agent: the rest is done in the database.
    suspend: (name, how, caller) =>
      askAbout("suspend", name, caller, how).catch(orWhenAway(() => local.suspend(name, how, caller))),
    stop: (name, caller) => askAbout("stop", name, caller).catch(orWhenAway(() => local.stop(name, caller))),
    remove: async (name, how, caller) => void (await askAbout("remove", name, caller, how)),
    changes: (name, caller) => askAbout("changes", name, caller),
    previewMerge: (name, caller) => askAbout("previewMerge", name, caller),
    merge: (name, wanted, caller) => askAbout("merge", name, caller, wanted),
  };
}

/** The home machines of sessions, by session id. */
async function homesOf(
  { database }: Pick<FleetAgentsOptions, "database">,
  sessionIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const sql = "select id, home_machine from sessions where id = any($1) and home_machine is not null";
  const { rows } = await database.query(sql, [sessionIds], "read homes");
  return new Map(rows.map((row) => [String(row["id"]), String(row["home_machine"])]));
}

/** The workers that start queued work on a machine, ordered by id: the first one does (`waitingAtSql`). */
function startersOn(members: readonly Member[], machine: string): readonly Member[] {
  return members
    .filter(
      ({ role, about, isThere, isLeaving, ...member }) =>
        role === "worker" && member.machine === machine && isThere && !isLeaving && about.takesAgents === true,
    )
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

async function withAwayMachines(
  options: FleetAgentsOptions,
  views: readonly AgentView[],
): Promise<readonly AgentView[]> {
  const queued = views.filter(({ doing }) => doing.kind === "queued");
  if (queued.length === 0) return views;
  const homes = await homesOf(
    options,
    queued.map(({ sessionId }) => sessionId),
  );
  const there = await options.members.list();
  return views.map((view) => {
    const machine = homes.get(view.sessionId);
    return machine === undefined || startersOn(there, machine).length > 0
      ? view
      : withProblem(view, machineAway(machine));
  });
}

function problemOf({ doing }: AgentView): string | undefined {
  return doing.kind === "queued" ? doing.problem : undefined;
}

function withProblem(view: AgentView, problem: string | undefined): AgentView {
  const { doing } = view;
  return doing.kind !== "queued" || problem === undefined ? view : { ...view, doing: { ...doing, problem } };
}

function orWhenAway<Result>(work: () => Promise<Result>): (reason: unknown) => Promise<Result> {
  return async (reason) => {
    if (CaretError.is(reason) && reason.code === "agent-unavailable") return await work();
    throw reason;
  };
}
