import { randomUUID } from "node:crypto";
import type { PermissionWord } from "@caret/protocol";
import {
  attendedTools,
  createSessionGrants,
  openScratchDirectories,
  type SessionRecord,
  type TurnRequest,
} from "@caret/runtime";
import type { Config } from "../../config/config-schema.ts";
import { DEFAULT_PERMISSION } from "../../ports/gateway-ports.ts";
import { scratchRoot } from "../../workspaces/workspace-access.ts";

export interface AskingTurn {
  readonly config: Config;
  /** The session to continue; undefined for a new one. */
  readonly session: SessionRecord | undefined;
  readonly workspace: string;
}

/**
 * Settings for a turn whose person at the terminal is asked, as on the page: Caret runs its tools. Undefined for a session whose agent has
 * run its own tools so far: it would forget what it knows.
 */
export function askingTurn({ config, session, workspace }: AskingTurn): Partial<TurnRequest> | undefined {
  const scratch = openScratchDirectories({ root: scratchRoot(config), newId: randomUUID, now: Date.now });
  if (session?.lastTurn !== undefined && !scratch.hasBeside(session.id)) return undefined;
  const permission = session?.permission ?? DEFAULT_PERMISSION;
  if (permission === "full") return { force: true, ...agentAsks("full") };
  const id = session?.id ?? randomUUID();
  const grants = createSessionGrants({ newId: randomUUID, now: Date.now });
  return {
    ...(session === undefined ? { newSessionId: id } : {}),
    ...attendedTools({ scratch, session: { id, workspace: session?.workspace ?? workspace }, permission, grants }),
  };
}

/** The agent runs its own tools, and its questions go to the person at the terminal, on lanes that support it. */
export function agentAsks(permission: PermissionWord): Pick<TurnRequest, "attended" | "agentTools"> {
  const grants = createSessionGrants({ newId: randomUUID, now: Date.now });
  return { attended: true, agentTools: { permission, grants } };
}

/** Settings for a turn whose tools Caret runs because the settings say so. Nobody is asked: the policy decides. */
export function ownedTurn({ config, session, workspace }: AskingTurn): Partial<TurnRequest> | undefined {
  if (config.tools.owner !== "gateway") return undefined;
  const scratch = openScratchDirectories({ root: scratchRoot(config), newId: randomUUID, now: Date.now });
  const id = session?.id ?? randomUUID();
  const grants = createSessionGrants({ newId: randomUUID, now: Date.now });
  const { attended: _, ...owned } = attendedTools({
    scratch,
    session: { id, workspace: session?.workspace ?? workspace },
    permission: config.tools.policy,
    grants,
  });
  return { ...(session === undefined ? { newSessionId: id } : {}), ...owned };
}
