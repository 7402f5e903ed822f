import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJson } from "@caret/protocol";
import { workspaceSlug } from "../../chats/chat-exists.ts";
import { writePrivateFile } from "../../paths/private-files.ts";

const stdioFields = ["type", "command", "args", "env", "cwd"];

const remoteFields = ["type", "url", "headers"];

/**
 * The id under which the CLI stores its approval of one MCP server: it covers the server's whole configuration and its project, so an
 * approved entry cannot be changed afterwards.
 */
export function mcpApprovalId(name: string, server: Readonly<Record<string, unknown>>, projectRoot: string): string {
  const fields = typeof server["url"] === "string" ? remoteFields : stdioFields;
  const normalised = Object.fromEntries(
    fields.flatMap((field) => (server[field] === undefined ? [] : [[field, server[field]]])),
  );
  const digest = createHash("sha256")
    .update(JSON.stringify({ path: projectRoot, server: normalised }))
    .digest("hex");
  return `${name}-${digest.slice(0, 16)}`;
}

/** The nearest directory upwards that contains a repository, otherwise the directory itself. */
export function projectRootOf(directory: string): string {
  const physical = realpathSync(directory);
  for (let place = physical; ; place = dirname(place)) {
    if (existsSync(join(place, ".git"))) return place;
    if (dirname(place) === place) return physical;
  }
}

/**
 * Changes which servers are approved in a workspace, keeping what a person has approved there. `projectsOf` is the directory in which the
 * agent keeps its projects.
 */
export function changeApprovals(
  projectsOf: string,
  workspace: string,
  { add = [], remove = [] }: { readonly add?: readonly string[]; readonly remove?: readonly string[] },
): void {
  const file = join(projectsOf, "projects", workspaceSlug(workspace), "mcp-approvals.json");
  const before = readApprovals(file);
  const after = [...new Set([...before.filter((id) => !remove.includes(id)), ...add])];
  if (after.join("\n") === before.join("\n")) return;
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writePrivateFile(file, `${JSON.stringify(after, null, 2)}\n`);
}

function readApprovals(file: string): readonly string[] {
  if (!existsSync(file)) return [];
  // A file that is not a list approves nothing for the agent either.
  const value = parseJson(readFileSync(file, "utf8"));
  return Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];
}
