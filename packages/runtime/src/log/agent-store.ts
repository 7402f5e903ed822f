import { type AgentReport, type AgentWorktree, CaretError, type MessageQuery, type MessageView } from "@caret/protocol";
import type { SessionScope } from "./event-store.ts";

/** What is kept of an agent besides its session. */
export interface AgentRecord {
  readonly name: string;
  readonly sessionId: string;
  /** `human`, or the agent that created it. */
  readonly createdBy: string;
  readonly worktree?: AgentWorktree;
  /** It takes nothing from its queue. `why` when Caret suspended it. */
  readonly suspended?: Suspension;
  readonly report?: AgentReport;
  /** Whether it has the user's own MCP servers where it runs its own tools; absent: as the settings say. */
  readonly userServers?: boolean;
}

export interface Suspension {
  readonly since: number;
  readonly why?: string;
}

/** An agent that is being made, together with its session. */
export type NewAgent = Pick<AgentRecord, "name" | "createdBy" | "worktree" | "userServers">;

export type NewMessage = Pick<MessageView, "id" | "user" | "from" | "to" | "text" | "replyTo" | "mode">;

/** What may be changed of a message that waits. */
export type MessageChanges = Pick<NewMessage, "text" | "mode">;

/** A queue with messages in it: that of an agent that is not suspended, or of a session that is no agent's. */
export interface WaitingQueue {
  /** The agent's name, or the session's `sessionReceiver`. */
  readonly receiver: string;
  readonly sessionId: string;
  readonly isAgent: boolean;
  /** The last turn of a session was stopped or has failed: its queue waits for a person, or for a turn that completes. */
  readonly isHeld: boolean;
  /** The message at the head of the queue. */
  readonly message: MessageView;
}

/** Whose messages: absent: those of every user. */
export type UserScope = Pick<SessionScope, "user">;

/** From whom; absent: from anyone. */
export interface SenderScope {
  readonly senders?: readonly string[];
}

/** What waits in one queue. */
export interface QueueState {
  readonly count: number;
  /** When the message at the head was sent; undefined when there is none. */
  readonly since: number | undefined;
}

/**
 * The registry of agents and their queues, in the file of the event log: what is taken from a queue and what is logged for it is one
 * transaction. A promise that resolved means durable, as in the event store.
 */
export interface AgentStore {
  find(name: string): Promise<AgentRecord | undefined>;
  ofSession(sessionId: string): Promise<AgentRecord | undefined>;
  /** By name. */
  list(): Promise<readonly AgentRecord[]>;
  /** Undefined: it is resumed. Rejects with `not-found`, as all changes do. */
  suspend(name: string, suspension: Suspension | undefined): Promise<void>;
  report(name: string, report: AgentReport): Promise<void>;
  setUserServers(name: string, userServers: boolean): Promise<void>;
  /** Deletes the agent and the messages to it. Its session stays. */
  remove(name: string): Promise<void>;

  /**
   * Stored once for an id: the same message again is given as it is kept. Rejects with `invalid-request` for another one. What a person
   * answers is read by that.
   */
  send(message: NewMessage): Promise<MessageView>;
  message(id: string): Promise<MessageView | undefined>;
  /** Take one that waits as read. */
  take(id: string): Promise<MessageView | undefined>;
  /** Messages to one receiver, oldest first. `human` is every user: those of one of them are asked for by name. */
  messages(to: string, query: MessageQuery & UserScope): Promise<readonly MessageView[]>;
  /** Take all that waits in a queue as read, during a turn or outside of one. */
  takeAll(to: string, turnId: string | undefined, scope?: UserScope & SenderScope): Promise<readonly MessageView[]>;
  /** The first answer to a message, taken as read if it waits. Undefined when there is none yet. */
  takeReply(messageId: string, turnId: string | undefined, scope?: SenderScope): Promise<MessageView | undefined>;
  /** Keep other words of a message that its receiver has: without secrets. */
  rewrite(id: string, text: string): Promise<void>;
  /** Drop all that waits in a queue. */
  drop(to: string): Promise<readonly MessageView[]>;
  queueOf(to: string): Promise<QueueState>;
  /** Change a message that waits, and when it was sent. Rejects with `not-found`, as `dropOne` does. */
  edit(id: string, changes: MessageChanges): Promise<MessageView>;
  dropOne(id: string): Promise<void>;
  /** The one that has waited longest since its message came, or since its last turn ended, is first. */
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
