import type { AboutView, SessionCaller, SessionDesk } from "@caret/protocol";
import type { OpenedEngine } from "../compose.ts";
import type { Config } from "../config/config-schema.ts";
import { version } from "../version.ts";
import { scratchRoot } from "../workspaces/workspace-access.ts";
import { DEFAULT_PERMISSION } from "./gateway-desks.ts";
import { laneStates } from "./gateway-lanes.ts";

const RECENT_SESSIONS = 50;

export interface AboutOptions {
  readonly opened: OpenedEngine;
  readonly config: Config;
  readonly desk: SessionDesk;
  readonly defaultWorkspace: string | undefined;
}

/** What the page must know before it shows anything. */
export async function gatewayAbout(options: AboutOptions, caller: SessionCaller): Promise<AboutView> {
  const { opened, config } = options;
  const defaultWorkspace = caller.workspace ?? options.defaultWorkspace;
  return {
    version,
    tokenName: caller.tokenName,
    lanes: await laneStates(opened),
    defaultLane: opened.lane,
    defaultModel: config.model,
    defaultPermission: DEFAULT_PERMISSION,
    ...(defaultWorkspace === undefined ? {} : { defaultWorkspace }),
    workspaces: caller.workspace === undefined ? await knownWorkspaces(options, caller) : [caller.workspace],
    sandbox: sandboxWords(opened),
  };
}

/** Where sessions may work, and where they did lately. Directories of our own are nobody's choice. */
async function knownWorkspaces(
  { opened, config, desk }: AboutOptions,
  caller: SessionCaller,
): Promise<readonly string[]> {
  const { sessions } = await desk.list({ limit: RECENT_SESSIONS }, caller);
  const known = [...opened.allowedWorkspaces.directories(), ...sessions.map(({ workspace }) => workspace)];
  return [...new Set(known)].filter((workspace) => !workspace.startsWith(scratchRoot(config)));
}

function sandboxWords({ containment }: OpenedEngine): string {
  if (containment.kind === "bubblewrap") return "Contained by bubblewrap: no process of a turn outlives it";
  return `Not contained: ${containment.why}`;
}
