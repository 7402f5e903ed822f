import { physicalPath } from "./workspace-hash.ts";

/** The name under `projects/` for a workspace: everything but letters and digits becomes a dash. */
export function workspaceSlug(path: string): string {
  return physicalPath(path)
    .replaceAll(/[^A-Za-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}
