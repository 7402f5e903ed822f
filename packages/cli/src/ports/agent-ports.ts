import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agents, Caller } from "@caret/protocol";
import {
  type AgentRegistrations,
  type AgentsOptions,
  containingSpawner,
  createAgentRegistrations,
  createAgents,
  createAgentTools,
  createComparisons,
  type LogStore,
  type RuntimeAgents,
  type RuntimeComparisons,
  type RuntimeSessions,
  type ScratchDirectories,
  type Tool,
} from "@caret/runtime";
import { policyRules } from "../engine/toolbox-settings.ts";
import { packageRoot, version } from "../host/program.ts";
import { agentsRoot, worktreesRoot } from "../workspaces/workspace-access.ts";
import type { GatewayPortsOptions } from "./gateway-ports.ts";

/** Token name under which agents talk. */
const AGENTS = "agents";

/** Tools of the agent a session belongs to, which speaks in its own name. */
export async function ownTools(agents: Agents, sessionId: string, callerOf: CallerOf): Promise<readonly Tool[]> {
  const caller = await callerOf(sessionId);
  const agent = await agents.ofSession(sessionId, caller);
  return agent === undefined ? [] : createAgentTools({ agents, name: agent.name, caller });
}

/** On whose behalf a session's agent talks: its user's. Like the user, it is not bound to a directory. */
type CallerOf = (sessionId: string) => Promise<Caller>;

export function agentCaller(store: Pick<LogStore, "getSession">): CallerOf {
  return async (sessionId) => ({ tokenName: AGENTS, user: (await store.getSession(sessionId))?.user });
}

interface AroundAgents {
  readonly sessions: RuntimeSessions;
  readonly scratch: ScratchDirectories;
  /** Absent if this process runs no agent turns. */
  readonly registrations?: AgentRegistrations;
}

/** Registers `caret mcp --agent-id NAME` with agents that run their own tools. */
export function openRegistrations(
  { config, opened, onError }: GatewayPortsOptions,
  agents: () => Agents,
  callerOf: CallerOf,
): AgentRegistrations {
  const bin = fileURLToPath(new URL("bin", packageRoot));
  return createAgentRegistrations({
    store: opened.agents,
    agents,
    callerOf,
    directory: agentsRoot(config),
    command: { file: process.execPath, args: [join(bin, "caret.js")] },
    program: [process.execPath, bin, fileURLToPath(new URL("package.json", packageRoot))],
    version,
    rules: policyRules(config),
    userServers: config.agents.userServers,
    spawner: opened.spawner,
    newId: randomUUID,
    onError,
  });
}

/** Agents that can work in worktrees of the user's repositories. `changes`: this process's overrides. */
export function openAgents(
  { host, config, opened, elsewhere, onError }: GatewayPortsOptions,
  { sessions, scratch, registrations }: AroundAgents,
  changes: Partial<Pick<AgentsOptions, "store" | "engine">> = {},
): RuntimeAgents {
  const { spawner, allowedWorkspaces, redactor } = opened;
  return createAgents({
    sessions,
    git: { spawner, env: host.env },
    allowedWorkspaces,
    engine: opened.engine,
    scratch,
    store: opened.agents,
    worktreesRoot: worktreesRoot(config),
    ...(registrations === undefined ? {} : { registrations }),
    ...(elsewhere === undefined ? {} : { elsewhere }),
    maxAtWork: config.agents.maxAtWork,
    redactor,
    newId: randomUUID,
    now: Date.now,
    onError,
    ...changes,
  });
}

export function openComparisons(
  { host, config, opened, onComparison, onError }: GatewayPortsOptions,
  sessions: RuntimeSessions,
): RuntimeComparisons {
  const { spawner, containment, allowedWorkspaces } = opened;
  return createComparisons({
    sessions,
    git: { spawner, env: host.env },
    allowedWorkspaces,
    spawner: containingSpawner(spawner, containment),
    onChange: onComparison,
    root: worktreesRoot(config),
    newId: randomUUID,
    now: Date.now,
    onError,
  });
}
