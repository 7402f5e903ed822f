import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { McpServerConfig } from "./mcp-servers.ts";

/** Where a workspace's approvals are kept. */
export interface ApprovalScope {
  readonly configDir: string;
  readonly workspace: string;
}

const stdioFields = ["type", "command", "args", "env", "cwd"] as const;
const remoteFields = ["type", "url", "headers"] as const;

/**
 * The name under which an approval is remembered: it changes with anything that would change what runs, and not with
 * the order or the unknown fields of the user's file.
 */
export function approvalId(name: string, server: McpServerConfig, projectRoot: string): string {
  const fields = server["url"] === undefined ? stdioFields : remoteFields;
  const normalised = Object.fromEntries(
    fields.filter((field) => server[field] !== undefined).map((field) => [field, server[field]]),
  );
  const digest = createHash("sha256").update(JSON.stringify({ path: projectRoot, server: normalised }));
  return `${name}-${digest.digest("hex").slice(0, 16)}`;
}

/** The real path of the nearest directory that holds `.git`, else the workspace itself. */
export function projectRootOf(workspace: string): string {
  const start = realpathSync(workspace);
  for (let directory = start; ; directory = dirname(directory)) {
    if (existsSync(join(directory, ".git"))) return directory;
    if (directory === dirname(directory)) return start;
  }
}

/** The name of a workspace's folder below `<config dir>/projects`. */
export function projectSlug(workspace: string): string {
  return realpathSync(workspace)
    .replace(/[^a-zA-Z0-9]+/g, "-")
    .replace(/^-|-$/g, "");
}

export function readApprovals(scope: ApprovalScope): readonly string[] {
  return readList(fileOf(scope, "mcp-approvals.json"));
}

/** Names or approval ids of servers that the user switched off. */
export function readDisabled(scope: ApprovalScope): readonly string[] {
  return readList(fileOf(scope, "mcp-disabled.json"));
}

export function writeApprovals(scope: ApprovalScope, ids: readonly string[]): void {
  writeList(fileOf(scope, "mcp-approvals.json"), ids);
}

export function writeDisabled(scope: ApprovalScope, names: readonly string[]): void {
  writeList(fileOf(scope, "mcp-disabled.json"), names);
}

function fileOf({ configDir, workspace }: ApprovalScope, name: string): string {
  return join(configDir, "projects", projectSlug(workspace), name);
}

function readList(path: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
  } catch {
    // No file, or one that nobody can read, approves nothing and disables nothing.
    return [];
  }
}

function writeList(path: string, entries: readonly string[]): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(entries, null, 2)}\n`);
}
