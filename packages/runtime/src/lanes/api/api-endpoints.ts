import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CaretError, isJsonObject, parseJson } from "@caret/protocol";
import { allowedUrl, isLoopback } from "../../credentials/allowed-url.ts";

/** Serves accounts, keys, server settings and models. */
const CONTROL_URL = "https://api2.cursor.sh";
const AGENT_URL = "https://agentn.us.api5.cursor.sh";

/** In this order, after the setting `api.url`; the first one set decides. */
const agentVariables = ["PI_CURSOR_AGENT_URL", "CURSOR_AGENT_URL"] as const;
const CONTROL_VARIABLE = "CURSOR_API_ENDPOINT";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ApiEndpoints {
  /** Exchanges keys, and serves settings and models. */
  readonly control: URL;
  /** Serves turns, if a setting names it; undefined: the server's settings decide. */
  readonly agent: URL | undefined;
}

/** The endpoints by setting and environment, validated; nothing is sent. Throws `invalid-config` for a foreign host. */
export function readEndpoints(env: Environment, apiUrl: string | undefined): ApiEndpoints {
  const own = apiUrl === undefined ? [] : [allowedUrl(apiUrl, "api.url (CARET_API_URL)")];
  // Check all of them, including overridden ones: a foreign one was meant to be used.
  const [agent] = [...own, ...agentVariables.flatMap((name) => setUrl(env, name) ?? [])];
  const named = setUrl(env, CONTROL_VARIABLE);
  if (named !== undefined && !isLoopback(named) && named.origin !== CONTROL_URL)
    throw new CaretError("invalid-config", `${CONTROL_VARIABLE} names ${named.hostname}: nothing was sent there`, {
      fix: `Unset ${CONTROL_VARIABLE}, or let it name a server on this machine.`,
    });
  // A local upstream's key means nothing to Cursor, and vice versa.
  const beside = agent !== undefined && isLoopback(agent) ? new URL(agent.origin) : new URL(CONTROL_URL);
  return { control: named ?? beside, agent };
}

function setUrl(env: Environment, name: string): URL | undefined {
  const value = env[name]?.trim() ?? "";
  return value === "" ? undefined : allowedUrl(value, name);
}

/** The addresses for turns in the server's settings, as spelled by `GetServerConfig` and the CLI's file. */
export interface AgentUrlConfig {
  readonly agentUrl?: string | undefined;
  readonly agentnUrl?: string | undefined;
}

export interface FindAgentUrlOptions {
  readonly endpoints: ApiEndpoints;
  /** The configuration directory of Cursor's CLI. */
  readonly cliConfigDir: string;
  /** Asks the server for its settings; undefined if it did not answer. */
  readonly serverConfig: () => Promise<AgentUrlConfig | undefined>;
}

/** The server for turns, by: the environment, the settings cached by Cursor's CLI, the server's settings, the default. */
export async function findAgentUrl({ endpoints, cliConfigDir, serverConfig }: FindAgentUrlOptions): Promise<URL> {
  if (endpoints.agent !== undefined) return endpoints.agent;
  // An upstream on this machine serves everything; only it may redirect turns, and only within the machine.
  if (isLoopback(endpoints.control)) return localAgentUrl(endpoints.control, await serverConfig());
  const file = join(cliConfigDir, "cli-config.json");
  const cached = urlOf(await readCachedConfig(file), file);
  return cached ?? urlOf(await serverConfig(), "GetServerConfig") ?? new URL(AGENT_URL);
}

function localAgentUrl(control: URL, config: AgentUrlConfig | undefined): URL {
  const named = urlOf(config, "GetServerConfig");
  return named !== undefined && isLoopback(named) ? named : new URL(control.origin);
}

function urlOf(config: AgentUrlConfig | undefined, source: string): URL | undefined {
  const text = [config?.agentnUrl, config?.agentUrl].find((url) => url !== undefined && url !== "");
  return text === undefined ? undefined : allowedUrl(text, source);
}

async function readCachedConfig(file: string): Promise<AgentUrlConfig | undefined> {
  const text = await readFile(file, "utf8").catch(() => ""); // without the CLI there is no such file
  const config = parseJson(text);
  const cache = isJsonObject(config) ? config["serverConfigCache"] : undefined;
  const urls = isJsonObject(cache) ? cache["agentUrlConfig"] : undefined;
  if (!isJsonObject(urls)) return undefined;
  return { agentUrl: textOf(urls["agentUrl"]), agentnUrl: textOf(urls["agentnUrl"]) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
