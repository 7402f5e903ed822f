import {
  type AgentDoing,
  type AgentView,
  type Caller,
  CaretError,
  HUMAN,
  type MessageView,
  type SessionView,
} from "@caret/protocol";
import { type AgentRecord, type QueueState, unknownAgent } from "../log/agent-store.ts";
import type { AgentScheduler } from "./agent-scheduler.ts";
import type { AgentsOptions } from "./agents-context.ts";
import { defined } from "./defined.ts";

/** More than anyone answers; further ones are shown once some of these are answered. */
const MAX_TO_HUMAN = 1_000;

/** Reads agents as a caller may see them. */
export interface AgentViews {
  /** Rejects with `not-found`, even if the agent exists but is not visible to this caller. */
  find(name: string, caller: Caller): Promise<AgentRecord>;
  view(agent: AgentRecord, caller: Caller): Promise<AgentView>;
  list(caller: Caller): Promise<readonly AgentView[]>;
}

export function createAgentViews(options: AgentsOptions, scheduler: AgentScheduler): AgentViews {
  const { store, sessions, engine } = options;

  const toHuman = (): Promise<readonly MessageView[]> => store.messages(HUMAN, { queued: true, limit: MAX_TO_HUMAN });

  const viewWith = async (agent: AgentRecord, caller: Caller, messages: readonly MessageView[]): Promise<AgentView> => {
    const { name, sessionId, createdBy, worktree, report, userServers } = agent;
    // Before the session: a message leaves the queue as its turn starts, and the agent must not look idle in between.
    const queue = await store.queueOf(name);
    const session = await sessions.get(sessionId, caller);
    const record = await engine.store.getSession(sessionId);
    const { status, lane, model, usage } = session;
    const isLost = record !== undefined && (await engine.hasLostChat(record, agentPlace(options, session)));
    return {
      name,
      sessionId,
      workspace: session.workspace,
      ...defined({ worktree, lane, model, report, usage, userServers }),
      permission: session.permission,
      sandbox: session.sandbox ?? "off",
      budget: record?.budget ?? {},
      createdAt: session.createdAt,
      createdBy,
      doing: doingOf(agent, session, queue, scheduler.problemOf(name)),
      ...(status.kind === "ended" ? { lastOutcome: status.outcome } : {}),
      ...(isLost ? { chatLost: true } : {}),
      waiting: queue.count,
      toHuman: messages.filter(({ from }) => from === name),
      lastSeq: session.lastSeq,
      lastLine: session.lastLine,
    };
  };

  return {
    view: async (agent, caller) => await viewWith(agent, caller, await toHuman()),
    async find(name, caller) {
      const agent = await store.find(name);
      if (agent === undefined) throw unknownAgent(name);
      await sessions.get(agent.sessionId, caller).catch((reason: unknown) => Promise.reject(hidden(name, reason)));
      return agent;
    },
    async list(caller) {
      const [agents, messages] = await Promise.all([store.list(), toHuman()]);
      const views = await Promise.all(agents.map((agent) => viewWith(agent, caller, messages).catch(unseen)));
      return views.filter((each) => each !== undefined);
    },
  };
}

/** The working directory of a session's agent: differs from the session's if the gateway runs its tools. */
export function agentPlace(
  { scratch }: Pick<AgentsOptions, "scratch">,
  { id, workspace, permission }: Pick<SessionView, "id" | "workspace" | "permission">,
): string {
  return permission !== "full" && scratch.hasBeside(id) ? scratch.besideWorkspace(id) : workspace;
}

function doingOf(
  { suspended }: AgentRecord,
  { status, createdAt }: SessionView,
  { since }: QueueState,
  problem: string | undefined,
): AgentDoing {
  if (status.kind === "running" || status.kind === "waiting") return status;
  if (suspended !== undefined) return { kind: "suspended", ...suspended };
  if (since !== undefined) return { kind: "queued", since, ...(problem === undefined ? {} : { problem }) };
  return { kind: "idle", since: status.kind === "ended" ? status.at : createdAt };
}

function hidden(name: string, reason: unknown): unknown {
  return CaretError.is(reason) && reason.code === "session-not-found" ? unknownAgent(name) : reason;
}

/** Deleted in the meantime, or in another workspace than the caller's. */
function unseen(reason: unknown): undefined {
  if (CaretError.is(reason) && reason.code === "session-not-found") return undefined;
  throw reason;
}
