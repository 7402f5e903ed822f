import { isRecord } from "../json/json.ts";
import type { ConfiguredServer } from "../mcp/mcp-servers.ts";
import type { HasQuirk } from "../scenario/acp-quirks.ts";

/** The MCP servers that a client names for its session, in the form of the configuration files. */
export function givenServers(value: unknown, has: HasQuirk): readonly ConfiguredServer[] {
  if (!Array.isArray(value) || has("no-session-servers")) return [];
  const source = has("approved-servers-only") ? "project" : "session";
  return value.filter(isRecord).map(({ name, ...rest }) => ({ name: String(name), source, config: toConfig(rest) }));
}

function toConfig({ type, url, headers, command, args, env }: Readonly<Record<string, unknown>>) {
  if (url !== undefined) return { type, url, headers: toMap(headers) };
  const variables = toMap(env);
  return { command, args, ...(Object.keys(variables).length === 0 ? {} : { env: variables }) };
}

/** `[{name, value}]` as an object. */
function toMap(pairs: unknown): Readonly<Record<string, unknown>> {
  const list = Array.isArray(pairs) ? pairs.filter(isRecord) : [];
  return Object.fromEntries(list.map(({ name, value }) => [String(name), value]));
}
