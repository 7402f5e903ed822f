import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliFailure } from "./cli-failure.ts";

export interface TrustOptions {
  readonly projectDir: string;
  readonly workspace: string;
  readonly now: () => number;
  /** `--trust`: trust it and remember. */
  readonly trust: boolean;
  /** `--force`: go on this once. */
  readonly force: boolean;
}

/** Refuses to work in a directory that nobody has vouched for. */
export function requireTrust({ projectDir, workspace, now, trust, force }: TrustOptions): void {
  const marker = join(projectDir, ".workspace-trusted");
  if (trust) {
    mkdirSync(projectDir, { recursive: true });
    const record = { trustedAt: new Date(now()).toISOString(), workspacePath: workspace, trustMethod: "flag" };
    writeFileSync(marker, `${JSON.stringify(record, null, 2)}\n`);
    return;
  }
  if (force || existsSync(marker)) return;
  throw new CliFailure(banner(workspace));
}

function banner(workspace: string): string {
  return `
⚠ Workspace Trust Required

  Cursor Agent can execute code and access files in this directory.
  Do you trust the contents of this directory?

    ${workspace}

  To proceed, you can either:
    • Run 'agent' interactively to decide
    • Pass --trust, --yolo, or -f if you trust this directory
`;
}
