import { rmSync } from "node:fs";
import { join } from "node:path";
import { directoryName } from "../paths/scratch-directories.ts";

/** What Caret keeps for the sandboxes of sessions: for each a directory, which goes with its session. */
export interface SandboxDirectories {
  of(sessionId: string): string;
  remove(sessionId: string): void;
}

export function sandboxDirectories(root: string): SandboxDirectories {
  const directoryOf = (sessionId: string): string => join(root, "sessions", directoryName(sessionId));
  return {
    of: directoryOf,
    remove: (sessionId) => rmSync(directoryOf(sessionId), { recursive: true, force: true }),
  };
}
