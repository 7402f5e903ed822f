import { createHash } from "node:crypto";
import { CaretError, type MessageView, messageStates } from "@caret/protocol";
import type { AgentRecord, NewMessage, WaitingQueue } from "../agent-store.ts";
import { isTrue, type Row } from "./row.ts";

const promptModes = ["plan", "ask"] as const;

export function toAgent(row: Row | undefined): AgentRecord | undefined {
  if (row === undefined) return undefined;
  const { repository, branch, suspended_at: since, suspended_why: why, report: text, report_at: at } = row;
  const { user_servers: userServers } = row;
  return {
    name: String(row["name"]),
    sessionId: String(row["session_id"]),
    createdBy: String(row["created_by"]),
    ...(repository === null ? {} : { worktree: { repository: String(repository), branch: String(branch) } }),
    ...(since === null ? {} : { suspended: { since: Number(since), ...(why === null ? {} : { why: String(why) }) } }),
    ...(text === null ? {} : { report: { text: String(text), at: Number(at) } }),
    ...(userServers === null ? {} : { userServers: isTrue(userServers) }),
  };
}

/**
 * Digest of the message as sent, so a message edited since is still recognised. Messages without a mode and a user keep their former
 * digest.
 */
export function digestOf({ user, from, to, text, replyTo, mode }: NewMessage): string {
  const more = [...(mode === undefined ? [] : [mode]), ...(user === undefined ? [] : [{ user }])];
  return createHash("sha256")
    .update(JSON.stringify([from, to, text, replyTo, ...more]))
    .digest("base64url");
}

export function toMessages(row: Row): readonly MessageView[] {
  const message = toMessage(row);
  return message === undefined ? [] : [message];
}

export function toMessage(row: Row | undefined): MessageView | undefined {
  if (row === undefined) return undefined;
  const { reply_to: replyTo, turn_id: turnId } = row;
  const mode = promptModes.find((word) => word === row["mode"]);
  return {
    id: String(row["id"]),
    ...(row["user_name"] === null ? {} : { user: String(row["user_name"]) }),
    from: String(row["sender"]),
    to: String(row["receiver"]),
    text: String(row["text"]),
    ...(replyTo === null ? {} : { replyTo: String(replyTo) }),
    // A state known only to another release counts as read, so nothing is started twice.
    state: messageStates.find((state) => state === row["state"]) ?? "read",
    at: Number(row["at"]),
    ...(turnId === null ? {} : { turnId: String(turnId) }),
    ...(mode === undefined ? {} : { mode }),
  };
}

export function toWaitingQueues(row: Row): readonly WaitingQueue[] {
  return toMessages(row).map((message) => ({
    receiver: message.to,
    sessionId: String(row["session_id"]),
    isAgent: isTrue(row["is_agent"]),
    isHeld: isTrue(row["is_held"]),
    message,
  }));
}

/** Refuses a turn that was to start with this message. */
export function notWaiting(id: string): CaretError {
  return new CaretError("session-busy", `The message ${id} does not wait in its queue any more`);
}
