import type { JsonObject } from "@caret/protocol";
import { objectField, textField } from "../../decode/read-fields.ts";
import type { BridgeServer } from "../cli/offered-turn.ts";
import type { AcpProcess, OpenedSession } from "./acp-process.ts";

interface SessionRequest {
  readonly workspace: string;
  /** The session to continue. Default: a new one. */
  readonly sessionId: string | undefined;
  readonly servers: readonly BridgeServer[];
  readonly waitMs: number;
}

/**
 * Opens the turn's session: one the process already has, one that it loads, or a new one. Loading replays the whole session before it is
 * answered; the session has no listener yet, so the replay is discarded.
 */
export async function openSession(process: AcpProcess, request: SessionRequest): Promise<OpenedSession> {
  const { sessionId, workspace, waitMs } = request;
  const known = sessionId === undefined ? undefined : process.session(sessionId);
  if (known !== undefined) return known;
  const params = { cwd: workspace, mcpServers: request.servers.map(toServer) };
  const described =
    sessionId === undefined
      ? await process.requestWithin("session/new", params, waitMs)
      : await process.requestWithin("session/load", { sessionId, ...params }, waitMs);
  const session = toSession(sessionId ?? textField(described, "sessionId") ?? "", described);
  process.keep(session);
  return session;
}

function toServer({ name, command, args, env }: BridgeServer): JsonObject {
  return { name, command, args, env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })) };
}

function toSession(id: string, described: JsonObject): OpenedSession {
  const mode = textField(objectField(described, "modes"), "currentModeId");
  return { id, described, mode, model: undefined };
}
