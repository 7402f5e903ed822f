import { randomUUID } from "node:crypto";
import type { Agents, CaretError, Comparisons, Conversations, PermissionWord, Sessions } from "@caret/protocol";
import {
  type AdoptSession,
  type AgentsOptions,
  type AnswerArchive,
  type ComparisonsOptions,
  createClientFinder,
  createConversations,
  createSessions,
  type ForeignTicks,
  type LineageStore,
  openAnswerArchive,
  openAttachments,
  openScratchDirectories,
  openSqliteLineageStore,
  type RuntimeAgents,
  type RuntimeComparisons,
  type RuntimeConversations,
  type RuntimeModels,
  type RuntimeSessions,
  type SessionsOptions,
  sandboxDirectories,
} from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import { retentionRules } from "../config/number-schemas.ts";
import type { OpenedEngine } from "../engine/compose.ts";
import { sandboxesRoot } from "../engine/machine-sandboxes.ts";
import type { Host } from "../host/host.ts";
import { scratchRoot, worktreesRoot } from "../workspaces/workspace-access.ts";
import { agentCaller, openAgents, openComparisons, openRegistrations, ownTools } from "./agent-ports.ts";
import { lanesOf, takesImages } from "./gateway-lanes.ts";
import { attachmentsRoot } from "./session-belongings.ts";

/** Permission of sessions created without one. */
export const DEFAULT_PERMISSION: PermissionWord = "auto-edits";

export interface GatewayPortsOptions {
  readonly host: Host;
  readonly config: Config;
  readonly opened: OpenedEngine;
  readonly models: RuntimeModels;
  readonly defaultWorkspace: string | undefined;
  /** Store of answers that clients refer to. Default: in the data directory. */
  readonly answers?: AnswerArchive | undefined;
  /** The fleet's processes that share the agents' queues. */
  readonly elsewhere?: AgentsOptions["elsewhere"];
  /** Notifies of log writes by other processes of a fleet. */
  readonly ticks?: ForeignTicks | undefined;
  /** Called on each change of a comparison. */
  readonly onComparison?: ComparisonsOptions["onChange"];
  /** Maps transcripts to sessions. Default: in the data directory. */
  readonly lineage?: LineageStore | undefined;
  /** Omitted if there is no other machine. */
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
  readonly comparisons: Comparisons & Partial<Pick<RuntimeComparisons, "sweep">>;
  /** Stored responses, which clients refer to by id. */
  readonly answers: AnswerArchive;
  /** From here on no turn starts automatically. */
  stopTaking(): Promise<void>;
  /** Call before closing the engine. */
  close(): Promise<void>;
}

/** The ports of a process that runs turns itself. */
export interface RuntimePorts extends GatewayPorts {
  readonly conversations: RuntimeConversations;
  readonly sessions: RuntimeSessions;
  readonly agents: RuntimeAgents;
  readonly comparisons: RuntimeComparisons;
}

/** Options of `createSessions` that differ between processes. */
type SessionsOfProcess = Partial<
  Pick<SessionsOptions, "toolsOf" | "registrationOf" | "turnOf" | "ticks" | "importWorkspace">
>;

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
    ...(takesImages(opened.lane) ? { attachments: openAttachments(attachmentsRoot(config)) } : {}),
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
export function openGatewayPorts(options: GatewayPortsOptions): RuntimePorts {
  const { scratch, answers, conversations, sessions } = openTurnPorts(options, {
    ...(options.ticks === undefined ? {} : { ticks: options.ticks }),
    toolsOf: (sessionId) => ownTools(agents, sessionId, callerOf),
    // Windows has no Unix sockets protected by file permissions.
    registrationOf: async (sessionId) =>
      options.host.platform === "win32" ? undefined : await registrations.of(sessionId),
  });
  const callerOf = agentCaller(options.opened.engine.store);
  const registrations = openRegistrations(options, () => agents, callerOf);
  const agents = openAgents(options, { sessions, scratch, registrations });
  const comparisons = openComparisons(options, sessions);
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
