import { createHash } from "node:crypto";

/** What to call a session's directory: its id, unless that came from elsewhere and is something a path is made of. */
export function directoryName(sessionId: string): string {
  return /^\w[\w-]{0,99}$/.test(sessionId) ? sessionId : createHash("sha256").update(sessionId).digest("hex");
}
