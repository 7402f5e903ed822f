import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { CaretError, isJsonObject, parseJson } from "@caret/protocol";
import { allowedUrl, isLoopback } from "../../credentials/allowed-url.ts";

/** Where accounts, keys, server settings and models are served. */
const CONTROL_URL = "https://api2.cursor.sh";
const AGENT_URL = "https://agentn.us.api5.cursor.sh";

/** In this order, after the setting `api.url`; the first that is set decides. */
const agentVariables = ["PI_CURSOR_AGENT_URL", "CURSOR_AGENT_URL"] as const;
const CONTROL_VARIABLE = "CURSOR_API_ENDPOINT";

type Environment = Readonly<Record<string, string | undefined>>;

export interface ApiEndpoints {
  /** Exchanges keys, answers settings and models. */
  readonly control: URL;
  /** Takes turns, where a setting names it; undefined: the server's own settings do. */
  readonly agent: URL | undefined;
}

/** What the setting and the environment say, checked; nothing is sent anywhere. Throws `invalid-config` for a foreign host. */
export function readEndpoints(env: Environment, apiUrl: string | undefined): ApiEndpoints {
  const own = apiUrl === undefined ? [] : [allowedUrl(apiUrl, "api.url (CARET_API_URL)")];
  // All are checked, also those that do not decide: one that is foreign was meant to.
  const [agent] = [...own, ...agentVariables.flatMap((name) => setUrl(env, name) ?? [])];
  const named = setUrl(env, CONTROL_VARIABLE);
  if (named !== undefined && !isLoopback(named) && named.origin !== CONTROL_URL)
    throw new CaretError("invalid-config", `${CONTROL_VARIABLE} names ${named.hostname}: nothing was sent there`, {
      fix: `Unset ${CONTROL_VARIABLE}, or let it name a server on this machine.`,
    });
  // A key of a local upstream means nothing to Cursor, and the other way round.
  const beside = agent !== undefined && isLoopback(agent) ? new URL(agent.origin) : new URL(CONTROL_URL);
  return { control: named ?? beside, agent };
}

function setUrl(env: Environment, name: string): URL | undefined {
  const value = env[name]?.trim() ?? "";
  return value === "" ? undefined : allowedUrl(value, name);
}

/** The addresses that the server's settings give for turns, as `GetServerConfig` and the CLI's file spell them. */
export interface AgentUrlConfig {
  readonly agentUrl?: string | undefined;
  readonly agentnUrl?: string | undefined;
}

export interface FindAgentUrlOptions {
  readonly endpoints: ApiEndpoints;
  /** The configuration directory of Cursor's CLI. */
  readonly cliConfigDir: string;
  /** Asks the server for its settings; undefined when it did not answer. */
  readonly serverConfig: () => Promise<AgentUrlConfig | undefined>;
}

/** Where turns go: the environment, else what Cursor's CLI was given, else what the server says, else the default. */
export async function findAgentUrl({ endpoints, cliConfigDir, serverConfig }: FindAgentUrlOptions): Promise<URL> {
  if (endpoints.agent !== undefined) return endpoints.agent;
  // An upstream on this machine serves everything; only it may send turns elsewhere, and only within the machine.
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
