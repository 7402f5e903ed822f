import { homedir } from "node:os";
import { basename, join, sep } from "node:path";
import { isRecord, readJsonFile } from "../json/json.ts";
import { approvalId, projectRootOf, readApprovals, readDisabled, writeApprovals, writeDisabled } from "./approvals.ts";

export interface McpServersOptions {
  readonly workspace: string;
  readonly configDir: string;
  /** `--approve-mcps`: take every configured server as approved, without remembering it. */
  readonly approveMcps: boolean;
  /** Servers that the client of a session names; they go before those of the files. */
  readonly given?: readonly ConfiguredServer[];
}

export interface McpServer extends ConfiguredServer {
  readonly approvalId: string;
  readonly state: "approved" | "needs-approval" | "disabled";
}

/** Every configured server and whether it may be started. */
export function listMcpServers(options: McpServersOptions): readonly McpServer[] {
  const { workspace, configDir, approveMcps, given = [] } = options;
  const configured = readMcpServers({ workspace, configDir });
  const servers = [...given, ...configured.filter(({ name }) => !given.some((server) => server.name === name))];
  if (servers.length === 0) return [];
  const projectRoot = projectRootOf(workspace);
  const approvals = readApprovals({ workspace, configDir });
  const disabled = readDisabled({ workspace, configDir });
  return servers.map((server) => {
    const id = approvalId(server.name, server.config, projectRoot);
    const isApproved = approveMcps || server.source !== "project" || approvals.includes(id);
    const isDisabled = disabled.includes(server.name) || disabled.includes(id);
    const state = isDisabled ? "disabled" : isApproved ? "approved" : "needs-approval";
    return { ...server, approvalId: id, state };
  });
}

/** Approves a server and switches it on again. False when no server has that name. */
export function enableMcpServer(name: string, directories: Omit<McpServersOptions, "approveMcps">): boolean {
  const server = listMcpServers({ ...directories, approveMcps: false }).find((entry) => entry.name === name);
  if (server === undefined) return false;
  writeApprovals(directories, [...new Set([...readApprovals(directories), server.approvalId])]);
  writeDisabled(directories, without(readDisabled(directories), server));
  return true;
}

/** Switches a server off for this workspace. False when no server has that name. */
export function disableMcpServer(name: string, directories: Omit<McpServersOptions, "approveMcps">): boolean {
  const server = listMcpServers({ ...directories, approveMcps: false }).find((entry) => entry.name === name);
  if (server === undefined) return false;
  writeDisabled(directories, [...without(readDisabled(directories), server), server.name]);
  return true;
}

function without(names: readonly string[], server: McpServer): string[] {
  return names.filter((name) => name !== server.name && name !== server.approvalId);
}

/** One entry of `mcpServers`, as the user wrote it. */
export type McpServerConfig = Readonly<Record<string, unknown>>;

export interface ConfiguredServer {
  readonly name: string;
  /** A server of the user's own file needs no approval; one that came with a repository does. */
  readonly source: "project" | "user" | "session";
  readonly config: McpServerConfig;
}

/** Every configured server; the project's entry wins where both files use a name. */
function readMcpServers(directories: {
  readonly workspace: string;
  readonly configDir: string;
}): readonly ConfiguredServer[] {
  const project = serversIn(join(directories.workspace, ".cursor", "mcp.json"), "project");
  const user = serversIn(join(directories.configDir, "mcp.json"), "user");
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
  directories: { readonly workspace: string; readonly env: Readonly<Record<string, string | undefined>> },
): Value {
  const replace = (part: unknown): unknown => {
    if (typeof part === "string") return part.replace(/\$\{([^}]+)\}/g, (whole, name) => variable(name) ?? whole);
    if (Array.isArray(part)) return part.map(replace);
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, replace(inner)]));
  };
  const variable = (name: string): string | undefined => {
    if (name.startsWith("env:")) return directories.env[name.slice("env:".length)] ?? "";
    return {
      workspaceFolder: directories.workspace,
      workspaceFolderBasename: basename(directories.workspace),
      userHome: directories.env["HOME"] ?? homedir(),
      pathSeparator: sep,
      "/": sep,
    }[name];
  };
  return replace(value) as Value;
}
