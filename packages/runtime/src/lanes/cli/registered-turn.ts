import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { OpenSandbox } from "../../sandbox/sandboxes.ts";
import type { LaneRequest } from "../lane.ts";
import type { Registration } from "../registration.ts";
import type { AgentHost } from "./agent-host.ts";
import type { AgentFiles } from "./bridged-workspace.ts";
import { changeApprovals, mcpApprovalId, projectRootOf } from "./mcp-approval.ts";
import { type OfferedTurn, ownTurn } from "./offered-turn.ts";
import { writeOverlayConfig } from "./overlay-config.ts";
import { registerApprovals } from "./registered-approvals.ts";
import { mcpJson, type RegisteredServers } from "./registered-servers.ts";
import { warnOfTooManyTools } from "./tool-count-warning.ts";

export interface RegisteredTurnOptions {
  readonly host: AgentHost;
  readonly request: Pick<LaneRequest, "workspace">;
  readonly registration: Registration;
  readonly servers: RegisteredServers;
  /** Where the agent keeps its files outside the workspace. */
  readonly files: AgentFiles;
  /** Of the agent. */
  readonly env: Readonly<Record<string, string>>;
}

/** The configuration directory for an agent with Caret's server, replacing the user's. */
function overlayDirectory(directory: string): string {
  return join(directory, "config");
}

/**
 * What a turn needs if its agent runs its own tools and also has Caret's server. The server is named in a configuration directory of
 * Caret's, which replaces the user's: nothing is written into the workspace.
 */
export function openRegisteredTurn(options: RegisteredTurnOptions): OfferedTurn {
  const { host, servers, files, registration, env, request } = options;
  const directory = overlayDirectory(registration.directory);
  const own = approveOwn(options);
  writeOverlayConfig(files.configDir, directory, mcpJson(servers));
  const warning = warnOfTooManyTools({ host, servers, env, workspace: request.workspace });
  return { ...ownTurn, servers: [own], env: { CURSOR_CONFIG_DIR: directory }, ...warning };
}

/** Approves Caret's server and returns it, for agents that get their servers with the session. */
export function approveOwn({ registration, servers, files, request }: RegisteredTurnOptions) {
  const { workspace } = request;
  const { own, all } = servers;
  const ids = [mcpApprovalId(own, all[own] ?? {}, projectRootOf(workspace))];
  registerApprovals(registration.directory, { workspace, projectRoots: files.projectRoots, ids });
  return { name: own, ...registration.server };
}

/** In a sandbox the servers are in the `.cursor` mounted there, and the agent has its own configuration directory. */
export function openEnclosedTurn(
  { host, servers, request, env }: Pick<RegisteredTurnOptions, "host" | "servers" | "request" | "env">,
  sandbox: OpenSandbox,
): OfferedTurn {
  const { workspace } = request;
  // Inside the sandbox the repository above a workspace is missing: the agent then treats the workspace as the root.
  const roots = [...new Set([projectRootOf(workspace), realpathSync(workspace)])];
  const entries = Object.entries(servers.all);
  const add = roots.flatMap((root) => entries.map(([name, server]) => mcpApprovalId(name, server, root)));
  changeApprovals(sandbox.configDir, workspace, { add });
  return { ...ownTurn, ...warnOfTooManyTools({ host, servers, env, workspace, sandbox }) };
}
