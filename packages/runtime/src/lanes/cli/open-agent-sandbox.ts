import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";
import { CaretError } from "@caret/protocol";
import { configDirs } from "../../chats/chat-exists.ts";
import { cliLoginFiles } from "../../credentials/foreign-logins.ts";
import type { AgentBelongings } from "../../sandbox/agent-mounts.ts";
import type { OpenSandbox, Sandboxes } from "../../sandbox/sandboxes.ts";
import type { LaneRequest } from "../lane.ts";
import type { AgentHost } from "./agent-host.ts";
import type { Prepared } from "./start-agent.ts";

export interface AgentSandboxOptions {
  readonly sandboxes: Sandboxes | undefined;
  readonly host: Pick<AgentHost, "environment" | "openBridge">;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The configuration directory of agents whose profile names none. */
  readonly configDir: string | undefined;
}

/** Variables of the agent's environment that name files: certificates, and the simulator's scenario. */
const FILE_VARIABLES = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR)|CARET_SIM_SCENARIO)$/;

/** The sandbox of an attempt's agent; undefined if its turn has none. */
export async function openAgentSandbox(
  options: AgentSandboxOptions,
  request: LaneRequest,
  { launch, profile, program }: Prepared,
): Promise<OpenSandbox | undefined> {
  const { sandbox: requested, offered, workspace, mode, images = [] } = request;
  if (requested === undefined) return undefined;
  const { sandboxes, host } = options;
  if (sandboxes === undefined) throw new CaretError("sandbox-unavailable", "No sandbox is set up here");
  const env = host.environment(profile);
  const isBridged = offered !== undefined && program.style === "official";
  const bridge = isBridged ? await host.openBridge() : undefined;
  return await sandboxes.open(requested, {
    workspace,
    isReadOnly: mode !== "agent" && offered === undefined,
    isOurs: isBridged,
    agent: belongings(options, env, profile.configDir),
    programs: [launch, ...(bridge === undefined ? [] : [bridge.command])],
    readable: [...images.map(({ path }) => path), ...filesIn(env)],
    sockets: bridge === undefined ? [] : [bridge.hub.socketPath],
  });
}

/** An agent with a key needs no login, so it gets none. */
function belongings(
  { home: ourHome, platform, configDir }: AgentSandboxOptions,
  env: Readonly<Record<string, string>>,
  ofProfile: string | undefined,
): AgentBelongings {
  const home = env["HOME"] || ourHome;
  const [usual = join(home, ".cursor")] = configDirs({ env, home });
  const own = ofProfile ?? configDir ?? usual;
  const { CURSOR_DATA_DIR: dataDir, CURSOR_API_KEY: key } = env;
  return {
    home,
    configDir: own,
    dataDir: dataDir === own ? undefined : dataDir,
    loginFiles: key === undefined ? cliLoginFiles({ home, env, platform }) : [],
  };
}

function filesIn(env: Readonly<Record<string, string>>): readonly string[] {
  const named = Object.entries(env).filter(([name]) => FILE_VARIABLES.test(name));
  return named.map(([, path]) => path).filter((path) => isAbsolute(path) && existsSync(path));
}
