import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, parseJson } from "@caret/protocol";
import { writePrivateFile } from "../../paths/private-files.ts";
import { changeApprovals } from "./mcp-approval.ts";

/** What was approved for the server of one agent, and where. */
export interface RegisteredApprovals {
  readonly workspace: string;
  /** Directories in which the agent keeps its projects. */
  readonly projectRoots: readonly string[];
  readonly ids: readonly string[];
}

const NOTE = "approved.json";

/** Approve these and no others for the agent whose directory this is: what an earlier gateway's server was approved by goes. */
export function registerApprovals(directory: string, approved: RegisteredApprovals): void {
  withdrawApprovals(directory, approved.ids);
  // Written down first: what is approved and not noted would stay for good.
  writePrivateFile(join(directory, NOTE), JSON.stringify(approved));
  for (const root of approved.projectRoots) changeApprovals(root, approved.workspace, { add: approved.ids });
}

/** Take back what was approved for the agent, except those. */
export function withdrawApprovals(directory: string, except: readonly string[] = []): void {
  const file = join(directory, NOTE);
  const value = existsSync(file) ? parseJson(readFileSync(file, "utf8")) : undefined;
  if (!isJsonObject(value)) return;
  // Only Caret writes it, whole or not at all.
  const { workspace, projectRoots, ids } = value as unknown as RegisteredApprovals;
  const remove = ids.filter((id) => !except.includes(id));
  for (const root of projectRoots) changeApprovals(root, workspace, { remove });
}
