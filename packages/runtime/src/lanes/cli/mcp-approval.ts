import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

const stdioFields = ["type", "command", "args", "env", "cwd"];
const remoteFields = ["type", "url", "headers"];

/**
 * The id under which the CLI keeps its approval of one MCP server: it covers the whole configuration of the server and
 * the project it belongs to, so that an approved entry cannot be changed afterwards.
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

/** The nearest directory above with a repository in it, else the directory itself. */
export function projectRootOf(directory: string): string {
  const physical = realpathSync(directory);
  for (let place = physical; ; place = dirname(place)) {
    if (existsSync(join(place, ".git"))) return place;
    if (dirname(place) === place) return physical;
  }
}
