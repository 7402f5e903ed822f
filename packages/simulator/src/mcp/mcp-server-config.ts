import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import { isRecord, readJsonFile } from "../policy/read-json-file.ts";

/** One entry of `mcpServers`, as the user wrote it. */
export type McpServerConfig = Readonly<Record<string, unknown>>;

export interface ConfiguredServer {
  readonly name: string;
  /** A server of the user's own file needs no approval; one that came with a repository does. */
  readonly source: "project" | "user";
  readonly config: McpServerConfig;
}

/** Every configured server; the project's entry wins where both files use a name. */
export function readMcpServers(places: {
  readonly workspace: string;
  readonly configDir: string;
}): readonly ConfiguredServer[] {
  const project = serversIn(join(places.workspace, ".cursor", "mcp.json"), "project");
  const user = serversIn(join(places.configDir, "mcp.json"), "user");
  const own = user.filter(({ name }) => !project.some((server) => server.name === name));
  return [...project, ...own];
}

function serversIn(path: string, source: ConfiguredServer["source"]): ConfiguredServer[] {
  const servers = readJsonFile(path)?.["mcpServers"];
  if (!isRecord(servers)) return [];
  return Object.entries(servers).flatMap(([name, config]) => (isRecord(config) ? [{ name, source, config }] : []));
}

/** Replaces `${workspaceFolder}`, `${env:NAME}` and their kin in every text of a configuration. */
export function interpolate<Value>(
  value: Value,
  places: { readonly workspace: string; readonly env: Readonly<Record<string, string | undefined>> },
): Value {
  const replace = (part: unknown): unknown => {
    if (typeof part === "string") return part.replace(/\$\{([^}]+)\}/g, (whole, name) => variable(name) ?? whole);
    if (Array.isArray(part)) return part.map(replace);
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, replace(inner)]));
  };
  const variable = (name: string): string | undefined => {
    if (name.startsWith("env:")) return places.env[name.slice("env:".length)] ?? "";
    return {
      workspaceFolder: places.workspace,
      workspaceFolderBasename: basename(places.workspace),
      userHome: places.env["HOME"] ?? homedir(),
      pathSeparator: sep,
      "/": sep,
    }[name];
  };
  return replace(value) as Value;
}
