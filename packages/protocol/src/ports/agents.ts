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
  /** Only those that wait. */
  readonly queued?: boolean;
  /** The newest so many. */
  readonly limit?: number;
}

export interface WaitOptions {
  /** Ends the wait: it then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

/**
 * Agents: named, long-lived sessions with a workspace, a sandbox and a queue of messages. Rejects with `CaretError`s: `not-found`
 * for an unknown agent or message, `invalid-request` (a name that is taken, for one), `session-busy`, and as `Sessions` does.
 *
 * - A message that `send` resolved for is durable. It starts exactly one turn, in the commit that logs the turn's start, or is read
 *   exactly once from the queue: whatever is killed, it is neither lost nor doubled.
 * - Messages of one agent are taken in the order in which they were sent. At most so many agents work at once as the settings
 *   allow; the one that has waited longest since its last turn is next.
 * - A turn that was running when the gateway died has ended as `interrupted` and is not started again by itself.
 * - A caller that is bound to a workspace sees and touches only agents of that workspace; others do not exist for it.
 */
export interface Agents {
  /** The agent, its session and, where asked for, its worktree: all of them or none. */
  create(wanted: CreateAgent, caller: Caller, createdBy?: string): Promise<AgentView>;
  /** By name. */
  list(caller: Caller): Promise<readonly AgentView[]>;
  get(name: string, caller: Caller): Promise<AgentView>;
  /** The agent of a session, if it has one. */
  ofSession(sessionId: string, caller: Caller): Promise<AgentView | undefined>;
  change(name: string, changes: ChangeAgent, caller: Caller): Promise<AgentView>;
  /** Put a message into the queue of an agent, or to `human`. Resolves when it is durable. */
  send(to: string, message: SendMessage, caller: Caller, from?: string): Promise<MessageView>;
  /** Messages to an agent (or to `human`), oldest first. */
  messages(to: string, query: MessageQuery, caller: Caller): Promise<readonly MessageView[]>;
  /** A message to `human` that needs no answer, or none any more. Answering one does the same. */
  putAside(id: string, caller: Caller): Promise<MessageView>;
  /** A message by its id. */
  message(id: string, caller: Caller): Promise<MessageView>;
  /**
   * Put a prompt behind what a session does now. Its turn starts by itself when the turns before it have completed; after one
   * that was stopped or has failed, the queue is held until a turn completes or `startQueued`.
   */
  queuePrompt(sessionId: string, prompt: QueuePrompt, caller: Caller): Promise<MessageView>;
  queue(sessionId: string, caller: Caller): Promise<QueueView>;
  /** Rejects with `not-found` for what does not wait any more, as `removeQueued` does. */
  changeQueued(sessionId: string, messageId: string, changes: ChangeQueued, caller: Caller): Promise<MessageView>;
  removeQueued(sessionId: string, messageId: string, caller: Caller): Promise<void>;
  /** Start a turn with the first of them now, also where the queue is held. Rejects as `startTurn` does. */
  startQueued(sessionId: string, caller: Caller): Promise<StartedTurn>;
  /** Take what waits in a queue, oldest first, as read: no turn starts with it any more. */
  readInbox(to: string, caller: Caller): Promise<readonly MessageView[]>;
  /**
   * The first message to its sender that answers a message, taken from the queue as read if it waited there. Resolves as soon as
   * there is one.
   */
  waitForReply(messageId: string, options: WaitOptions, caller: Caller): Promise<MessageView>;
  /** Resolves with the agent once no turn of it runs and nothing waits in its queue, or it is suspended. */
  waitUntilIdle(name: string, options: WaitOptions, caller: Caller): Promise<AgentView>;
  /** What the agent says about its own work; lists show it. */
  reportStatus(name: string, text: string, caller: Caller): Promise<AgentView>;
  /**
   * It takes no more messages: everything of it is freed but its session, its workspace and its queue. A turn that runs goes on to its
   * end first, unless it is cancelled `now`.
   */
  suspend(name: string, how: SuspendAgent, caller: Caller): Promise<AgentView>;
  resume(name: string, caller: Caller): Promise<AgentView>;
  /** Cancel the turn that runs and drop what waits in the queue. Resolves with what was dropped. */
  stop(name: string, caller: Caller): Promise<readonly MessageView[]>;
  /** Delete the agent with its session, its queue and its worktree. */
  remove(name: string, how: RemoveAgent, caller: Caller): Promise<void>;
  /** What it changed: of a worktree since it began, else what is uncommitted in its workspace. */
  changes(name: string, caller: Caller): Promise<ChangesView>;
  /** What bringing its worktree's work back would do. Changes nothing. */
  previewMerge(name: string, caller: Caller): Promise<MergePreview>;
  /** Rejects with `invalid-request` and changes nothing when the preview is out of date, or has conflicts. */
  merge(name: string, wanted: MergeAgent, caller: Caller): Promise<MergeResult>;
}
