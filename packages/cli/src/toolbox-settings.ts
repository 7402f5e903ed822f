import { Secret } from "@caret/protocol";
import { type createSessionEngine, secretsAmong } from "@caret/runtime";
import type { Config } from "./config/config-schema.ts";
import type { Host } from "./host.ts";

type ToolboxSettings = NonNullable<Parameters<typeof createSessionEngine>[0]["toolbox"]>;
type McpServer = ToolboxSettings["servers"][number];

/** The tools that the gateway runs, as the configuration has them. */
export function toolboxSettings(
  { env, home }: Pick<Host, "env" | "home">,
  config: Config,
  { spawner, containment, outputsDir }: Pick<ToolboxSettings, "outputsDir" | "spawner" | "containment">,
): ToolboxSettings {
  return {
    policy: { mode: config.tools.policy, rules: policyRules(config) },
    servers: Object.entries(config.mcp.servers).map(([name, server]) => toServer(name, server, home)),
    spawner,
    containment,
    env,
    outputsDir,
  };
}

/** The user's own rules. */
export function policyRules({ tools }: Pick<Config, "tools">): readonly Rule[] {
  return tools.rules.map(withoutUnset);
}

/** What MCP servers are logged in with, to be kept out of whatever is written down. */
export function mcpSecrets({ mcp }: Pick<Config, "mcp">): readonly Secret[] {
  return Object.values(mcp.servers).flatMap(({ env, headers }) => [...secretsAmong(env), ...secretsAmong(headers)]);
}

function toServer(name: string, server: Config["mcp"]["servers"][string], home: string): McpServer {
  const { command, args, url = "", callTimeoutMs } = server;
  const common = { name, callTimeoutMs };
  if (command === undefined) return { ...common, transport: "http", url, headers: asSecrets(server.headers) };
  return { ...common, transport: "stdio", command, args, env: asSecrets(server.env), cwd: home };
}

function asSecrets(values: Readonly<Record<string, string>>): Record<string, Secret> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, new Secret(value)]));
}

type Rule = ToolboxSettings["policy"]["rules"][number];

function withoutUnset({ effect, ...conditions }: Config["tools"]["rules"][number]): Rule {
  const set = Object.entries(conditions).filter(([, pattern]) => pattern !== undefined);
  return { effect, ...Object.fromEntries(set) };
}
