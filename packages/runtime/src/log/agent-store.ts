import { type AgentReport, type AgentWorktree, CaretError, type MessageQuery, type MessageView } from "@caret/protocol";
import type { SessionScope } from "./event-store.ts";

/** What is stored about an agent in addition to its session. */
export interface AgentRecord {
  readonly name: string;
  readonly sessionId: string;
  /** `human`, or the agent that created it. */
  readonly createdBy: string;
  readonly worktree?: AgentWorktree;
  /** Takes nothing from its queue. `why` is set if Caret suspended it. */
  readonly suspended?: Suspension;
  readonly report?: AgentReport;
  /** Whether it has the user's own MCP servers when it runs its own tools. Default: the setting. */
  readonly userServers?: boolean;
}

export interface Suspension {
  readonly since: number;
  readonly why?: string;
}

/** An agent that is created together with its session. */
export type NewAgent = Pick<AgentRecord, "name" | "createdBy" | "worktree" | "userServers">;

export type NewMessage = Pick<MessageView, "id" | "user" | "from" | "to" | "text" | "replyTo" | "mode">;

/** The editable parts of a waiting message. */
export type MessageChanges = Pick<NewMessage, "text" | "mode">;

/** A non-empty queue: that of an agent that is not suspended, or of a session without an agent. */
export interface WaitingQueue {
  /** The agent's name, or the session's `sessionReceiver`. */
  readonly receiver: string;
  readonly sessionId: string;
  readonly isAgent: boolean;
  /** The session's last turn was stopped or failed: its queue waits for a person, or for a turn that completes. */
  readonly isHeld: boolean;
  /** The message at the head of the queue. */
  readonly message: MessageView;
}

/** Restricts messages to one user's. Default: those of every user. */
export type UserScope = Pick<SessionScope, "user">;

/** Restricts messages to these senders. Default: any sender. */
export interface SenderScope {
  readonly senders?: readonly string[];
}

/** The waiting messages of one queue. */
export interface QueueState {
  readonly count: number;
  /** When the message at the head was sent; undefined if the queue is empty. */
  readonly since: number | undefined;
}

/**
 * The registry of agents and their queues, in the event log's file: taking a message from a queue and logging what it starts is one
 * transaction. A resolved promise means durable, as in the event store.
 */
export interface AgentStore {
  find(name: string): Promise<AgentRecord | undefined>;
  ofSession(sessionId: string): Promise<AgentRecord | undefined>;
  /** By name. */
  list(): Promise<readonly AgentRecord[]>;
  /** Undefined resumes it. Rejects with `not-found`, as all changes do. */
  suspend(name: string, suspension: Suspension | undefined): Promise<void>;
  report(name: string, report: AgentReport): Promise<void>;
  setUserServers(name: string, userServers: boolean): Promise<void>;
  /** Deletes the agent and the messages to it. Its session stays. */
  remove(name: string): Promise<void>;

  /**
   * Idempotent by id: a repeated message returns the stored one; a different message under that id is rejected with `invalid-request`. A
   * person's answer also marks the message it answers as read.
   */
  send(message: NewMessage): Promise<MessageView>;
  message(id: string): Promise<MessageView | undefined>;
  /** Marks a waiting message as read. */
  take(id: string): Promise<MessageView | undefined>;
  /** Messages to one receiver, oldest first. `human` stands for every user; pass `user` for the messages of one. */
  messages(to: string, query: MessageQuery & UserScope): Promise<readonly MessageView[]>;
  /** Marks all waiting messages of a queue as read, during a turn or outside one. */
  takeAll(to: string, turnId: string | undefined, scope?: UserScope & SenderScope): Promise<readonly MessageView[]>;
  /** The first answer to a message, marked as read if it waits. Undefined if there is none yet. */
  takeReply(messageId: string, turnId: string | undefined, scope?: SenderScope): Promise<MessageView | undefined>;
  /** Replaces the text of a delivered message by a redacted one. */
  rewrite(id: string, text: string): Promise<void>;
  /** Drops all waiting messages of a queue. */
  drop(to: string): Promise<readonly MessageView[]>;
  queueOf(to: string): Promise<QueueState>;
  /** Changes a waiting message and its send time. Rejects with `not-found`, as `dropOne` does. */
  edit(id: string, changes: MessageChanges): Promise<MessageView>;
  dropOne(id: string): Promise<void>;
  /** Ordered by how long each has waited since its message came or its last turn ended, longest first. */
  waiting(): Promise<readonly WaitingQueue[]>;
}

export function ofSenders(messages: readonly MessageView[], scope: SenderScope = {}): readonly MessageView[] {
  return messages.filter(({ from }) => scope.senders?.includes(from) !== false);
}

export function notQueued(id: string): CaretError {
  return new CaretError("not-found", `The message ${id} does not wait in a queue (any more)`, {
    fix: "Look at the queue again: a turn may have begun with it.",
  });
}

export function unknownAgent(name: string): CaretError {
  return new CaretError("not-found", `There is no agent ${name}`, { fix: "`caret agent ls` lists the agents." });
}

export function nameTaken(name: string): CaretError {
  return new CaretError("invalid-request", `There is an agent ${name} already`, {
    fix: "Choose another name, or remove that one with `caret agent rm`.",
  });
}

export function belongsTo(name: string): CaretError {
  return new CaretError("invalid-request", `The session belongs to the agent ${name}`, {
    fix: `Remove the agent: \`caret agent rm ${name}\` deletes its session, too.`,
  });
}

export function unknownMessage(id: string): CaretError {
  return new CaretError("not-found", `There is no message ${id}`);
}

export function messageTaken(id: string): CaretError {
  return new CaretError("invalid-request", `Another message has the id ${id}`, {
    fix: "Give each message its own id.",
  });
}
