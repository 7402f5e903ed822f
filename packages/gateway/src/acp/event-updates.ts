import type { PlanEntry, SessionUpdate } from "@agentclientprotocol/sdk";
import {
  type AgentEvent,
  type AgentEventOf,
  assertNever,
  type EventEnvelope,
  isHeard,
  type Todo,
  TurnFold,
  todosOf,
  toolsOf,
} from "@caret/protocol";
import { toolCall, toolCallIdOf, toolOutput, toolResult } from "./tool-call-updates.ts";

export interface EventUpdatesOptions {
  readonly workspace: string;
  /** The client has declared that it shows `notice` updates. */
  readonly takesNotices: boolean;
  /** Whether this client sent the turn's prompt: then it already shows it, and learns from its answer how the turn ended. */
  readonly isOwnTurn: (turnId: string) => boolean;
}

/**
 * The only mapping from a session's events to ACP updates. Depends on the events and their order alone, so loading a session yields the
 * updates sent while it ran, except that text may be split differently.
 */
export class EventUpdates {
  readonly #options: EventUpdatesOptions;
  /** The turn of the last event. */
  #fold = new TurnFold();

  constructor(options: EventUpdatesOptions) {
    this.#options = options;
  }

  take(batch: readonly EventEnvelope[]): readonly SessionUpdate[] {
    const updates: SessionUpdate[] = [];
    /** Calls whose output has grown, with their turns: one update of the whole output per batch. */
    const grown = new Map<string, string>();
    const showGrown = (): void => {
      for (const [callId, turnId] of grown) updates.push(...this.#outputOf(turnId, callId));
      grown.clear();
    };
    for (const { event, turnId, seq, at } of batch) {
      if (event.type === "turn-start") this.#fold = new TurnFold();
      this.#fold.add(event, seq, at);
      if (event.type === "tool-output") grown.set(event.callId, turnId);
      if (event.type === "tool-result") grown.delete(event.callId);
      if (event.type === "turn-end") showGrown();
      for (const update of this.#updatesOf(event, turnId)) append(updates, update);
    }
    showGrown();
    return updates;
  }

  #outputOf(turnId: string, callId: string): readonly SessionUpdate[] {
    const tool = toolsOf(this.#fold.turn).findLast((candidate) => candidate.callId === callId);
    return tool === undefined ? [] : [toolOutput(turnId, tool)];
  }

  #updatesOf(event: AgentEvent, turnId: string): readonly SessionUpdate[] {
    const { workspace, isOwnTurn } = this.#options;
    switch (event.type) {
      case "turn-start":
        return isOwnTurn(turnId) ? [] : [chunk("user_message_chunk", promptText(event), turnId)];
      case "text-delta":
        return [chunk("agent_message_chunk", event.text, `${turnId}/${event.blockId}`)];
      case "thinking-delta":
        return [chunk("agent_thought_chunk", event.text, `${turnId}/${event.blockId}`)];
      case "tool-call":
        return [toolCall(turnId, event, workspace)];
      case "tool-result":
        return [toolResult(turnId, event, workspace)];
      case "todos":
        return [{ sessionUpdate: "plan", entries: planEntries(todosOf(this.#fold.turn)) }];
      case "plan":
        return [chunk("agent_message_chunk", planText(event), `${turnId}/plan/${event.callId ?? ""}`)];
      case "approval-request":
        return this.#callStatus(turnId, event.callId, "pending");
      case "approval-answer":
        return event.decision === "approved" ? this.#callStatus(turnId, this.#askedCall(event), "in_progress") : [];
      case "notice":
        return this.#notice(event, turnId);
      case "turn-end":
        return isOwnTurn(turnId) ? [] : this.#failure(event, turnId);
      case "session-ready":
      case "text-start":
      case "text-end":
      case "thinking-start":
      case "thinking-end":
      case "tool-output":
      case "question":
      case "question-answer":
      case "usage":
      case "unknown":
        return [];
      default:
        return assertNever(event);
    }
  }

  /** Some agents ask before they name the call: the client does not know it yet. */
  #callStatus(turnId: string, callId: string | undefined, status: "pending" | "in_progress"): readonly SessionUpdate[] {
    if (callId === undefined || !toolsOf(this.#fold.turn).some((tool) => tool.callId === callId)) return [];
    return [{ sessionUpdate: "tool_call_update", toolCallId: toolCallIdOf(turnId, callId), status }];
  }

  /** The call that an answered approval was about, if any. */
  #askedCall({ requestId }: AgentEventOf<"approval-answer">): string | undefined {
    const asked = this.#fold.turn.items.findLast(
      (item) => item.kind === "approval" && item.request.requestId === requestId,
    );
    return asked?.kind === "approval" ? asked.request.callId : undefined;
  }

  #notice(event: AgentEventOf<"notice">, turnId: string): readonly SessionUpdate[] {
    if (event.kind === "steer") return isHeard(event) ? [] : [chunk("user_message_chunk", event.message)];
    return this.#inform(event.kind === "error" ? "error" : "warning", event.message, turnId);
  }

  /** Another client's turn failed: that client gets the error as its answer. */
  #failure({ outcome }: AgentEventOf<"turn-end">, turnId: string): readonly SessionUpdate[] {
    if (outcome.kind !== "failed") return [];
    const { message, fix } = outcome.error;
    return this.#inform("error", `The turn failed: ${message}. ${fix}`, turnId);
  }

  /** A warning for the client's user that is not in the log. */
  warn(text: string): readonly SessionUpdate[] {
    return this.#inform("warning", text, "acp");
  }

  /** Clients that show no notices get them as thoughts: they are not part of the agent's answer. */
  #inform(severity: "warning" | "error", text: string, turnId: string): readonly SessionUpdate[] {
    if (this.#options.takesNotices) return [{ sessionUpdate: "notice", severity, title: text }];
    return [chunk("agent_thought_chunk", `${text}\n`, `${turnId}/notices`)];
  }
}

type ChunkKind = "user_message_chunk" | "agent_message_chunk" | "agent_thought_chunk";
type Chunk = Extract<SessionUpdate, { readonly sessionUpdate: ChunkKind }>;

export function chunk(sessionUpdate: ChunkKind, text: string, messageId?: string): Chunk {
  return { sessionUpdate, content: { type: "text", text }, ...(messageId === undefined ? {} : { messageId }) };
}

/** Merges consecutive deltas of one block into one chunk. */
function append(updates: SessionUpdate[], update: SessionUpdate): void {
  const last = updates.at(-1);
  const joined = last === undefined ? undefined : join(last, update);
  if (joined === undefined) updates.push(update);
  else updates[updates.length - 1] = joined;
}

function join(last: SessionUpdate, next: SessionUpdate): Chunk | undefined {
  if (!isText(last) || !isText(next)) return undefined;
  if (last.sessionUpdate !== next.sessionUpdate || last.messageId !== next.messageId) return undefined;
  if (last.messageId === undefined) return undefined;
  return { ...last, content: { type: "text", text: last.content.text + next.content.text } };
}

function isText(update: SessionUpdate): update is Chunk & { content: { type: "text"; text: string } } {
  return "content" in update && !Array.isArray(update.content) && update.content?.type === "text";
}

function promptText({ prompt = "", images = [] }: AgentEventOf<"turn-start">): string {
  return [prompt, ...images.map(({ name }) => `[image: ${name}]`)].join("\n");
}

function planText({ name, overview, text }: AgentEventOf<"plan">): string {
  const head = name === undefined ? [] : [`# ${name}`];
  return [...head, ...(overview === undefined ? [] : [overview]), text].join("\n\n");
}

const planStatuses = {
  pending: "pending",
  "in-progress": "in_progress",
  completed: "completed",
  unknown: "pending",
} as const;

/** ACP has no status for cancelled items, so they leave the plan. Agents give no priority. */
function planEntries(todos: readonly Todo[]): PlanEntry[] {
  return todos.flatMap(({ content, status }) =>
    status === "cancelled" ? [] : [{ content, priority: "medium" as const, status: planStatuses[status] }],
  );
}
