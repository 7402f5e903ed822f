import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { directoryName } from "../paths/session-directory.ts";

/** What Caret keeps for the sandboxes of sessions: for each a directory, which goes with its session. */
export interface SandboxDirectories {
  of(sessionId: string): string;
  list(): readonly string[];
  remove(sessionId: string): void;
}

export function sandboxDirectories(root: string): SandboxDirectories {
  const sessions = join(root, "sessions");
  const directoryOf = (sessionId: string): string => join(sessions, directoryName(sessionId));
  return {
    of: directoryOf,
    list: () => (existsSync(sessions) ? readdirSync(sessions).map((name) => join(sessions, name)) : []),
    remove: (sessionId) => rmSync(directoryOf(sessionId), { recursive: true, force: true }),
  };
}
