import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson } from "@caret/protocol";
import { writePrivateFile } from "../../paths/private-files.ts";
import { changeApprovals } from "./mcp-approval.ts";

/** What was approved for one agent's server, and where. */
export interface RegisteredApprovals {
  readonly workspace: string;
  /** Directories in which the agent keeps its projects. */
  readonly projectRoots: readonly string[];
  readonly ids: readonly string[];
}

const NOTE = "approved.json";

/** Approves exactly these for the agent that owns this directory: approvals for an earlier gateway's server are withdrawn. */
export function registerApprovals(directory: string, approved: RegisteredApprovals): void {
  withdrawApprovals(directory, approved.ids);
  // Record them first: an unrecorded approval would stay for good.
  writePrivateFile(join(directory, NOTE), JSON.stringify(approved));
  for (const root of approved.projectRoots) changeApprovals(root, approved.workspace, { add: approved.ids });
}

/** Withdraws what was approved for the agent, except those. */
export function withdrawApprovals(directory: string, except: readonly string[] = []): void {
  const file = join(directory, NOTE);
  const value = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  if (!isJsonObject(value)) return;
  // Written only by Caret, and atomically.
  const { workspace, projectRoots, ids } = value as unknown as RegisteredApprovals;
  const remove = ids.filter((id) => !except.includes(id));
  for (const root of projectRoots) changeApprovals(root, workspace, { remove });
}
