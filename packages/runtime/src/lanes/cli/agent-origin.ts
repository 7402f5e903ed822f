import { hash } from "node:crypto";
import { join } from "node:path";
import { fileStamp } from "../../paths/private-files.ts";
import type { AgentOrigin } from "../../process/warm-pool.ts";
import type { AgentHost } from "./agent-host.ts";
import type { Prepared } from "./start-agent.ts";

interface OriginOptions extends Pick<Prepared, "profile" | "launch"> {
  readonly host: Pick<AgentHost, "environment" | "filesReadAtStart">;
  readonly profileName: string;
  /** As configured, not as found. */
  readonly command: string | undefined;
  readonly workspace: string;
}

/** Files in a workspace that an agent reads once, at start. */
const projectFiles = ["mcp.json", "cli.json", "hooks.json"];

/**
 * What an agent started now is made from. One made from anything else has an outdated key, login, environment or program and must not be
 * given a turn.
 */
export function agentOrigin(options: OriginOptions): AgentOrigin {
  const { host, profile, launch, profileName, command, workspace } = options;
  const env = Object.entries(host.environment(profile)).sort(([a], [b]) => (a < b ? -1 : 1));
  const project = projectFiles.map((name) => join(workspace, ".cursor", name));
  const read = [launch.file, ...launch.args, ...host.filesReadAtStart(profile), ...project];
  return {
    slot: JSON.stringify([profileName, command ?? "", workspace]),
    madeFrom: hash("sha256", JSON.stringify([env, profile.configDir, read, read.map(fileStamp)]), "hex"),
  };
}
