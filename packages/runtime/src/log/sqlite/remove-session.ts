import { CaretError } from "@caret/protocol";
import type { DeleteOptions } from "../event-store.ts";
import type { LogTables } from "./log-tables.ts";

/** What one transaction deletes without anybody noticing. */
const SMALL_EVENTS = 200;
const CHUNK_EVENTS = 50;
/** How long a transaction goes on with the next chunk. Other writers wait for that long. */
const STEP_MS = 8;

export interface RemoveOptions extends DeleteOptions {
  readonly now: number;
  readonly owner: string;
}

/** `hidden`: nobody sees it any more, and `removeStep` deletes the rest of it. Undefined when there is none that fits. */
export function removeSession(
  { sessions, turns, commands, agents }: LogTables,
  sessionId: string,
  { updatedBefore = Number.POSITIVE_INFINITY, command, now, owner }: RemoveOptions,
): "gone" | "hidden" | undefined {
  const state = sessions.state(sessionId);
  if (state === undefined || state.hidden === "removed" || state.updatedAt >= updatedBefore) return undefined;
  const agent = agents.ofSession(sessionId);
  if (agent !== undefined) throw belongsTo(agent.name);
  if (turns.running({ sessionId }).length > 0)
    throw new CaretError("session-busy", `A turn of the session ${sessionId} is still running`);
  if (command !== undefined) commands.record(command, { sessionId }, now);
  if (state.lastSeq > SMALL_EVENTS) {
    sessions.hide(sessionId, "removed", owner);
    return "hidden";
  }
  sessions.remove(sessionId);
  return "gone";
}

function belongsTo(name: string): CaretError {
  return new CaretError("invalid-request", `The session belongs to the agent ${name}`, {
    fix: `Remove the agent: \`caret agent rm ${name}\` deletes its session, too.`,
  });
}

/** Deletes some of a session that is being deleted. Says whether all of it is gone. */
export function removeStep({ sessions, events }: LogTables, sessionId: string): boolean {
  // Another process may have finished it, and a new session may have its id by now.
  if (sessions.state(sessionId)?.hidden !== "removed") return true;
  const until = performance.now() + STEP_MS;
  while (events.removeSome(sessionId, CHUNK_EVENTS)) if (performance.now() > until) return false;
  sessions.remove(sessionId);
  return true;
}
