import { createHash } from "node:crypto";
import type { ChildCommand } from "./child-command.ts";

/** Everything that makes one warm agent unfit for another's turn; all but the prompt. */
export interface WarmProfile {
  /** Its working directory is the workspace. Standard input must be `held`. */
  readonly command: ChildCommand & { readonly stdin: "held" };
  readonly model: string;
  /** The upstream session it was told to resume, if any. */
  readonly resumedSession?: string | undefined;
  readonly cliVersion: string;
}

/** The same text for the same profile, in whatever order its variables were set. */
export function warmKey({ command, model, resumedSession, cliVersion }: WarmProfile): string {
  const env = Object.entries(command.env).sort(([a], [b]) => (a < b ? -1 : 1));
  const contained = command.contained === true;
  const parts = [command.file, command.args, command.cwd, env, contained, model, resumedSession ?? null, cliVersion];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}
