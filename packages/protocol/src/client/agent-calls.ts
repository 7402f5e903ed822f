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
import type { MessageQuery } from "../ports/agents.ts";
import { at, get, post, readJson, readNothing, sendCommand } from "./native-calls.ts";
import { type NativeWire, newKey, type RequestOptions } from "./native-wire.ts";

/** The agent calls of the native door. */
export interface AgentCalls {
  /** Sorted by name. */
  listAgents(options?: RequestOptions): Promise<readonly AgentView[]>;
  getAgent(name: string, options?: RequestOptions): Promise<AgentView>;
  createAgent(wanted: CreateAgent, options?: RequestOptions): Promise<AgentView>;
  changeAgent(name: string, changes: ChangeAgent, options?: RequestOptions): Promise<AgentView>;
  /** Also deletes its session, queue and worktree. */
  removeAgent(name: string, how?: RemoveAgent, options?: RequestOptions): Promise<void>;
  /** Queues a message. Its id stays the same across attempts, so it is stored once, even if the gateway restarts in between. */
  sendMessage(name: string, message: SendMessage, options?: RequestOptions): Promise<MessageView>;
  /** Oldest first. */
  listMessages(name: string, query?: MessageQuery, options?: RequestOptions): Promise<readonly MessageView[]>;
  /** Prompts queued for a session, oldest first. */
  listQueue(sessionId: string, options?: RequestOptions): Promise<QueueView>;
  /** Queues a prompt to run after the current turn. Stored once, like a message. */
  queuePrompt(sessionId: string, prompt: QueuePrompt, options?: RequestOptions): Promise<MessageView>;
  changeQueued(
    sessionId: string,
    messageId: string,
    changes: ChangeQueued,
    options?: RequestOptions,
  ): Promise<MessageView>;
  removeQueued(sessionId: string, messageId: string, options?: RequestOptions): Promise<void>;
  /** Starts a turn with the first queued prompt now. */
  startQueued(sessionId: string, options?: RequestOptions): Promise<StartedTurn>;
  /** Dismisses a message to `human`. */
  putMessageAside(id: string, options?: RequestOptions): Promise<MessageView>;
  suspendAgent(name: string, how?: SuspendAgent, options?: RequestOptions): Promise<AgentView>;
  resumeAgent(name: string, options?: RequestOptions): Promise<AgentView>;
  /** Cancels its turn and drops its queue. Resolves with the dropped messages. */
  stopAgent(name: string, options?: RequestOptions): Promise<readonly MessageView[]>;
  agentChanges(name: string, options?: RequestOptions): Promise<ChangesView>;
  previewMerge(name: string, options?: RequestOptions): Promise<MergePreview>;
  /** Does exactly what the preview showed, or rejects and changes nothing. */
  mergeAgent(name: string, wanted: MergeAgent, options?: RequestOptions): Promise<MergeResult>;
}

export function agentCalls(wire: NativeWire): AgentCalls {
  return {
    listAgents: async (options) =>
      (await get<{ readonly agents: readonly AgentView[] }>(wire, "agents", {}, options)).agents,
    getAgent: (name, options) => get(wire, at`agents/${name}`, {}, options),
    createAgent: (wanted, options) => post(wire, "agents", wanted, options),
    changeAgent: (name, json, options) =>
      wire.send({ ...options, method: "PATCH", path: at`agents/${name}`, json }, readJson<AgentView>),
    removeAgent: (name, how = {}, options) => sendCommand(wire, at`agents/${name}/remove`, how, options),
    sendMessage: (name, { id = newKey(), ...message }, options) =>
      post(wire, at`agents/${name}/messages`, { ...message, id }, options),
    listMessages: async (name, query = {}, options) =>
      (await get<{ readonly messages: readonly MessageView[] }>(wire, at`agents/${name}/messages`, query, options))
        .messages,
    listQueue: (id, options) => get(wire, at`sessions/${id}/queue`, {}, options),
    queuePrompt: (sessionId, { id = newKey(), ...prompt }, options) =>
      post(wire, at`sessions/${sessionId}/queue`, { ...prompt, id }, options),
    changeQueued: (id, messageId, json, options) =>
      wire.send(
        { ...options, method: "PATCH", path: at`sessions/${id}/queue/${messageId}`, json },
        readJson<MessageView>,
      ),
    removeQueued: (id, messageId, options) =>
      wire.send({ ...options, method: "DELETE", path: at`sessions/${id}/queue/${messageId}` }, readNothing),
    startQueued: (id, options) => post(wire, at`sessions/${id}/queue/start`, {}, options),
    putMessageAside: (id, options) => post(wire, at`messages/${id}/aside`, {}, options),
    suspendAgent: (name, how = {}, options) => post(wire, at`agents/${name}/suspend`, how, options),
    resumeAgent: (name, options) => post(wire, at`agents/${name}/resume`, {}, options),
    stopAgent: async (name, options) =>
      (await post<{ readonly dropped: readonly MessageView[] }>(wire, at`agents/${name}/stop`, {}, options)).dropped,
    agentChanges: (name, options) => get(wire, at`agents/${name}/changes`, {}, options),
    previewMerge: (name, options) => get(wire, at`agents/${name}/merge`, {}, options),
    mergeAgent: (name, wanted, options) => post(wire, at`agents/${name}/merge`, wanted, options),
  };
}
