import { sessionReceiver } from "@caret/protocol";
import { belongsTo } from "../agent-store.ts";
import { type DeleteOptions, turnRuns } from "../event-store.ts";
import type { LogTables } from "./log-tables.ts";

/** Events that one transaction can delete unnoticed. */
const SMALL_EVENTS = 200;
const CHUNK_EVENTS = 50;
/** How long a transaction may keep deleting chunks; other writers wait that long. */
const STEP_MS = 8;

export interface RemoveOptions extends DeleteOptions {
  readonly now: number;
  readonly owner: string;
}

/** `hidden`: invisible, with the rest left to `removeStep`. Undefined if no session matches. */
export function removeSession(
  { sessions, turns, commands, agents, messages }: LogTables,
  sessionId: string,
  { updatedBefore = Number.POSITIVE_INFINITY, command, now, owner }: RemoveOptions,
): "gone" | "hidden" | undefined {
  const state = sessions.state(sessionId);
  if (state === undefined || state.hidden === "removed" || state.updatedAt >= updatedBefore) return undefined;
  const agent = agents.ofSession(sessionId);
  if (agent !== undefined) throw belongsTo(agent.name);
  if (turns.running({ sessionId }).length > 0) throw turnRuns(sessionId);
  if (command !== undefined) commands.record(command, { sessionId }, now);
  messages.removeTo(sessionReceiver(sessionId));
  if (state.lastSeq > SMALL_EVENTS) {
    sessions.hide(sessionId, "removed", owner);
    return "hidden";
  }
  sessions.remove(sessionId);
  return "gone";
}

/** Deletes part of a session that is being deleted. Returns whether it is gone completely. */
export function removeStep({ sessions, events, said }: LogTables, sessionId: string): boolean {
  // Another process may have finished it, and a new session may have its id by now.
  if (sessions.state(sessionId)?.hidden !== "removed") return true;
  const until = performance.now() + STEP_MS;
  while (said.removeSome(sessionId, CHUNK_EVENTS)) if (performance.now() > until) return false;
  while (events.removeSome(sessionId, CHUNK_EVENTS)) if (performance.now() > until) return false;
  sessions.remove(sessionId);
  return true;
}
