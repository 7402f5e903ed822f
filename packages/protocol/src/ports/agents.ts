import type {
  ChangeAgent,
  ChangeQueued,
  CreateAgent,
  MergeAgent,
  QueuePrompt,
  RemoveAgent,
  SendMessage,
  SuspendAgent,
} from "../api/agent-requests.ts";
import type { AgentView, MergePreview, MergeResult, MessageView, QueueView } from "../api/agent-view.ts";
import type { StartedTurn } from "../api/native-requests.ts";
import type { ChangesView } from "../api/session-view.ts";
import type { Caller } from "./caller.ts";

export interface MessageQuery {
  /** Only messages still queued. */
  readonly queued?: boolean;
  /** At most this many, the newest. */
  readonly limit?: number;
}

export interface WaitOptions {
  /** Aborting ends the wait; it rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Agents: named, long-lived sessions with a workspace, a sandbox and a queue of messages. Rejects with `CaretError`s: `not-found` for an
 * unknown agent or message, `invalid-request` (a name already in use, say), `session-busy`, and as `Sessions` does.
 *
 * - Once `send` resolves, the message is durable. It either starts exactly one turn, in the commit that logs the turn's start, or is read
 *   exactly once from the queue. No crash loses or duplicates it.
 * - An agent's messages are taken in the order they were sent. The settings limit how many agents work at once; the next is the one whose
 *   last turn ended longest ago.
 * - A turn that was running when the gateway died ends as `interrupted` and is not restarted automatically.
 * - A caller bound to a workspace sees and touches only that workspace's agents; to it, others do not exist.
 */
export interface Agents {
  /** Creates the agent, its session and (if wanted) its worktree atomically. */
  create(wanted: CreateAgent, caller: Caller, createdBy?: string): Promise<AgentView>;
  /** Sorted by name. */
  list(caller: Caller): Promise<readonly AgentView[]>;
  get(name: string, caller: Caller): Promise<AgentView>;
  /** The agent that a session belongs to, if any. */
  ofSession(sessionId: string, caller: Caller): Promise<AgentView | undefined>;
  change(name: string, changes: ChangeAgent, caller: Caller): Promise<AgentView>;
  /** Queues a message for an agent or for `human`. Resolves when it is durable. */
  send(to: string, message: SendMessage, caller: Caller, from?: string): Promise<MessageView>;
  /** Messages to an agent or to `human`, oldest first. */
  messages(to: string, query: MessageQuery, caller: Caller): Promise<readonly MessageView[]>;
  /** Dismisses a message to `human`. Answering it dismisses it too. */
  putAside(id: string, caller: Caller): Promise<MessageView>;
  message(id: string, caller: Caller): Promise<MessageView>;
  /**
   * Queues a prompt behind the session's current work. Its turn starts by itself once the turns before it complete; after a stopped or
   * failed turn the queue is held until a turn completes or `startQueued` is called.
   */
  queuePrompt(sessionId: string, prompt: QueuePrompt, caller: Caller): Promise<MessageView>;
  queue(sessionId: string, caller: Caller): Promise<QueueView>;
  /** Rejects with `not-found` if the prompt is no longer queued, as does `removeQueued`. */
  changeQueued(sessionId: string, messageId: string, changes: ChangeQueued, caller: Caller): Promise<MessageView>;
  removeQueued(sessionId: string, messageId: string, caller: Caller): Promise<void>;
  /** Starts a turn with the first queued prompt now, even if the queue is held. Rejects as `startTurn` does. */
  startQueued(sessionId: string, caller: Caller): Promise<StartedTurn>;
  /** Takes all queued messages, oldest first, and marks them read: they start no turn. */
  readInbox(to: string, caller: Caller): Promise<readonly MessageView[]>;
  /** Resolves with the first reply to a message, marking the reply as read if it is still queued. */
  waitForReply(messageId: string, options: WaitOptions, caller: Caller): Promise<MessageView>;
  /** Resolves with the agent once it has no running turn and an empty queue, or is suspended. */
  waitUntilIdle(name: string, options: WaitOptions, caller: Caller): Promise<AgentView>;
  /** Records the agent's report on its own work; lists show it. */
  reportStatus(name: string, text: string, caller: Caller): Promise<AgentView>;
  /**
   * Stops taking messages and frees everything but the agent's session, workspace and queue. A running turn finishes first, unless `now`
   * cancels it.
   */
  suspend(name: string, how: SuspendAgent, caller: Caller): Promise<AgentView>;
  resume(name: string, caller: Caller): Promise<AgentView>;
  /** Cancels the running turn and drops the queue. Resolves with the dropped messages. */
  stop(name: string, caller: Caller): Promise<readonly MessageView[]>;
  /** Deletes the agent with its session, queue and worktree. */
  remove(name: string, how: RemoveAgent, caller: Caller): Promise<void>;
  /** Its changes: in a worktree since the agent began, otherwise whatever is uncommitted in the workspace. */
  changes(name: string, caller: Caller): Promise<ChangesView>;
  /** What merging its worktree back would do. Changes nothing. */
  previewMerge(name: string, caller: Caller): Promise<MergePreview>;
  /** Rejects with `invalid-request`, changing nothing, if the preview is out of date or has conflicts. */
  merge(name: string, wanted: MergeAgent, caller: Caller): Promise<MergeResult>;
}
