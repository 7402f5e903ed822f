import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agents, Caller, CaretError, Comparisons, Conversations, PermissionWord, Sessions } from "@caret/protocol";
import {
  type AdoptSession,
  type AgentRegistrations,
  type AnswerArchive,
  containingSpawner,
  createAgentRegistrations,
  createAgents,
  createAgentTools,
  createClientFinder,
  createComparisons,
  createConversations,
  createSessions,
  type LineageStore,
  type LogStore,
  openAnswerArchive,
  openScratchDirectories,
  openSqliteLineageStore,
  type RuntimeAgents,
  type RuntimeComparisons,
  type RuntimeModels,
  type RuntimeSessions,
  type ScratchDirectories,
  type SessionsOptions,
  sandboxDirectories,
  type Tool,
} from "@caret/runtime";
import type { OpenedEngine } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import { retentionRules } from "../config/number-schemas.ts";
import type { Host } from "../host.ts";
import { sandboxesRoot } from "../machine-sandboxes.ts";
import { packageRoot, version } from "../program.ts";
import { policyRules } from "../toolbox-settings.ts";
import { agentsRoot, scratchRoot, worktreesRoot } from "../workspaces/workspace-access.ts";
import { lanesOf } from "./gateway-lanes.ts";
import { attachmentsRoot } from "./session-belongings.ts";

/** The permission of sessions that are created without one. */
export const DEFAULT_PERMISSION: PermissionWord = "auto-edits";

/** As whose agents talk. */
const AGENTS = "agents";

export interface GatewayPortsOptions {
  readonly host: Host;
  readonly config: Config;
  readonly opened: OpenedEngine;
  readonly models: RuntimeModels;
  readonly defaultWorkspace: string | undefined;
  /** Where answers are kept that clients refer to; absent: in the data directory. */
  readonly answers?: AnswerArchive | undefined;
  /** Which transcript belongs to which session; absent: as the data directory says. */
  readonly lineage?: LineageStore | undefined;
  /** Absent: there is no other machine. */
  readonly adopt?: AdoptSession | undefined;
  readonly onError: (error: CaretError) => void;
}

export interface GatewayPorts {
  /** For the stateless doors. */
  readonly conversations: Conversations;
  /** For the native door. */
  readonly sessions: Sessions;
  readonly agents: Agents;
  /** For the native door: one prompt for several models. */
  readonly comparisons: Comparisons & Pick<RuntimeComparisons, "sweep">;
  /** Stored responses, which clients refer to by id. */
  readonly answers: AnswerArchive;
  /** No turn starts by itself from here on. */
  stopTaking(): Promise<void>;
  /** Call before closing the engine. */
  close(): Promise<void>;
}

/** What `createSessions` is given besides what every process gives it. */
type SessionsOfProcess = Partial<Pick<SessionsOptions, "toolsOf" | "registrationOf" | "turnOf" | "ticks">>;

/** The ports that start turns, and what they share. */
export function openTurnPorts(options: GatewayPortsOptions, more: SessionsOfProcess) {
  const { host, config, opened, models, defaultWorkspace, onError } = options;
  const scratch = openScratchDirectories({ root: scratchRoot(config), newId: randomUUID, now: Date.now });
  const answers = options.answers ?? openAnswerArchive({ directory: config.dataDir, onError });
  const lineage = options.lineage ?? openSqliteLineageStore({ directory: config.dataDir, onDamage: onError });
  const common = {
    engine: opened.engine,
    lineage,
    scratch,
    answers,
    upstreamState: opened.upstreamState,
    sandboxes: sandboxDirectories(sandboxesRoot(config)),
    resolveModel: models.resolve,
    defaultWorkspace,
    now: Date.now,
    onError,
  };
  const conversations = createConversations({
    ...common,
    adopt: options.adopt,
    findClient: createClientFinder(),
    goneMs: config.clocks.goneMs,
    toolsOwner: config.tools.owner ?? host.env["CURSOR_ACP_TOOL_LOOP_MODE"],
  });
  const sessions = createSessions({
    ...common,
    allowedWorkspaces: opened.allowedWorkspaces,
    defaultPermission: DEFAULT_PERMISSION,
    lanes: lanesOf(opened),
    announcedCommands: opened.announcedCommands,
    attachmentsDir: attachmentsRoot(config),
    worktreesRoot: worktreesRoot(config),
    retention: retentionRules(config.retention),
    redactor: opened.redactor,
    spawner: opened.spawner,
    containment: opened.containment,
    noteSecrets: opened.noteSecrets,
    env: host.env,
    newId: randomUUID,
    ...more,
  });
  return { scratch, answers, conversations, sessions };
}

/** The ports between the doors and the engine. */
export function openGatewayPorts(options: GatewayPortsOptions): GatewayPorts {
  const { scratch, answers, conversations, sessions } = openTurnPorts(options, {
    toolsOf: (sessionId) => ownTools(agents, sessionId, callerOf),
    // Windows has no Unix sockets that file permissions keep private.
    registrationOf: async (sessionId) =>
      options.host.platform === "win32" ? undefined : await registrations.of(sessionId),
  });
  const callerOf = agentCaller(options.opened.engine.store);
  const registrations = openRegistrations(options, () => agents, callerOf);
  const { agents, comparisons } = openWorktreePorts(options, { sessions, scratch, registrations });
  return {
    conversations,
    sessions,
    agents,
    comparisons,
    answers,
    async stopTaking() {
      sessions.stopTaking();
      await agents.close();
    },
    async close() {
      await agents.close();
      await registrations.close();
      await comparisons.close();
      await sessions.close();
      await conversations.close();
      answers.close();
    },
  };
}

/** Those of the agent that a session belongs to, which speaks in its own name. */
async function ownTools(agents: Agents, sessionId: string, callerOf: CallerOf): Promise<readonly Tool[]> {
  const caller = await callerOf(sessionId);
  const agent = await agents.ofSession(sessionId, caller);
  return agent === undefined ? [] : createAgentTools({ agents, name: agent.name, caller });
}

/** On whose behalf the agent of a session talks: its user's. It is not bound to a directory, as its user is not. */
type CallerOf = (sessionId: string) => Promise<Caller>;

function agentCaller(store: Pick<LogStore, "getSession">): CallerOf {
  return async (sessionId) => ({ tokenName: AGENTS, user: (await store.getSession(sessionId))?.user });
}

interface AroundAgents {
  readonly sessions: RuntimeSessions;
  readonly scratch: ScratchDirectories;
  readonly registrations: AgentRegistrations;
}

/** What registers `caret mcp --agent-id NAME` with agents that run their own tools. */
function openRegistrations(
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

/** The ports whose agents may work in worktrees of the user's repositories. */
function openWorktreePorts(
  { host, config, opened, onError }: GatewayPortsOptions,
  { sessions, scratch, registrations }: AroundAgents,
): { readonly agents: RuntimeAgents; readonly comparisons: RuntimeComparisons } {
  const { spawner, containment, allowedWorkspaces, redactor } = opened;
  const git = { spawner, env: host.env };
  const root = worktreesRoot(config);
  const common = { sessions, git, allowedWorkspaces, newId: randomUUID, now: Date.now, onError };
  return {
    agents: createAgents({
      ...common,
      engine: opened.engine,
      scratch,
      store: opened.agents,
      worktreesRoot: root,
      registrations,
      maxAtWork: config.agents.maxAtWork,
      redactor,
    }),
    comparisons: createComparisons({ ...common, spawner: containingSpawner(spawner, containment), root }),
  };
}
