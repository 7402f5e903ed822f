import { randomUUID } from "node:crypto";
import type { CaretError, PermissionWord } from "@caret/protocol";
import {
  type AnswerArchive,
  type Conversations,
  createClientFinder,
  createConversations,
  createSessions,
  type ModelDirectory,
  openAnswerArchive,
  openScratchDirectories,
  openSqliteLineageStore,
  type RuntimeSessions,
} from "@caret/runtime";
import type { OpenedEngine } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import { retentionRules } from "../config/number-schemas.ts";
import type { Host } from "../host.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";
import { lanesOf } from "./gateway-lanes.ts";
import { attachmentsRoot } from "./session-belongings.ts";

/** How much happens without asking in a session for which nobody has said it. */
export const DEFAULT_PERMISSION: PermissionWord = "auto-edits";

export interface GatewayDesksOptions {
  readonly host: Host;
  readonly config: Config;
  readonly opened: OpenedEngine;
  readonly models: ModelDirectory;
  readonly defaultWorkspace: string | undefined;
  readonly onError: (error: CaretError) => void;
}

export interface GatewayDesks {
  /** For clients that know of no sessions. */
  readonly turns: Conversations;
  /** For those that do. */
  readonly sessions: RuntimeSessions;
  /** Answers that clients refer to by their ids. */
  readonly answers: AnswerArchive;
  /** To be called before the engine is closed. */
  close(): Promise<void>;
}

/** What stands between the doors and the engine. */
export function openGatewayDesks(options: GatewayDesksOptions): GatewayDesks {
  const { host, config, opened, models, defaultWorkspace, onError } = options;
  const scratch = openScratchDirectories({ root: scratchRoot(config), newId: randomUUID, now: Date.now });
  const answers = openAnswerArchive({ directory: config.dataDir, onError });
  const common = {
    engine: opened.engine,
    scratch,
    answers,
    resolveModel: models.resolve,
    defaultWorkspace,
    now: Date.now,
    onError,
  };
  const turns = createConversations({
    ...common,
    lineage: openSqliteLineageStore({ directory: config.dataDir, onDamage: onError }),
    findClient: createClientFinder(),
    goneMs: config.clocks.goneMs,
    toolsOwner: config.tools.owner ?? host.env["CURSOR_ACP_TOOL_LOOP_MODE"],
  });
  const sessions = createSessions({
    ...common,
    allowedWorkspaces: opened.allowedWorkspaces,
    defaultPermission: DEFAULT_PERMISSION,
    lanes: lanesOf(opened),
    attachmentsDir: attachmentsRoot(config),
    retention: retentionRules(config.retention),
    redactor: opened.redactor,
    spawner: opened.spawner,
    env: host.env,
    newId: randomUUID,
  });
  return {
    turns,
    sessions,
    answers,
    async close() {
      await sessions.close();
      await turns.close();
      answers.close();
    },
  };
}
