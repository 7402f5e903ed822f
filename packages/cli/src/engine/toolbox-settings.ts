import { CaretError, Secret } from "@caret/protocol";
import { type createSessionEngine, secretsAmong } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host/host.ts";

type ToolboxSettings = NonNullable<Parameters<typeof createSessionEngine>[0]["toolbox"]>;
type McpServer = ToolboxSettings["servers"][number];

/** Settings of the tools the gateway runs. */
export function toolboxSettings(
  { env, home }: Pick<Host, "env" | "home">,
  config: Config,
  { spawner, containment, outputsDir }: Pick<ToolboxSettings, "outputsDir" | "spawner" | "containment">,
): ToolboxSettings {
  return {
    policy: { mode: config.tools.policy, rules: policyRules(config) },
    search: toSearch(config.tools.webSearch),
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

/** Credentials of MCP servers and the search engine, to be redacted from everything written down. */
export function toolSecrets({ mcp, tools }: Pick<Config, "mcp" | "tools">): readonly Secret[] {
  const ofServers = Object.values(mcp.servers).flatMap(({ env, headers }) => [
    ...secretsAmong(env),
    ...secretsAmong(headers),
  ]);
  const { key } = tools.webSearch;
  return key === undefined ? ofServers : [...ofServers, new Secret(key)];
}

function toSearch({ engine, url, key }: Config["tools"]["webSearch"]): ToolboxSettings["search"] {
  if (engine === undefined) return undefined;
  if (engine !== "searxng") return { engine, key: new Secret(key ?? missing(engine, "key")), url };
  return { engine, url: url ?? missing(engine, "url") };
}

function missing(engine: string, name: "key" | "url"): never {
  throw new CaretError("invalid-config", `The search engine ${engine} needs its ${name}, and none is set`, {
    fix: `Set \`tools.webSearch.${name}\`, or take \`tools.webSearch.engine\` away.`,
  });
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
