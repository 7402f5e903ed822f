import type { JsonObject } from "@caret/protocol";
import { objectField, textField, wordField } from "../read-fields.ts";
import { closeBlock, type Draft, type ToolCallEvent, type TurnState } from "../turn-draft.ts";
import { AcpCalls } from "./acp-calls.ts";

/** Further concurrent subagents are not followed: their tasks still report the result. */
const MAX_CHILDREN = 64;

/** The subagent session that an update announces, if any. */
export function subagentSessionIn(update: JsonObject): string | undefined {
  const kind = textField(update, "sessionUpdate");
  if (kind === "subagent_spawned") return wordField(update, "subagentSessionId", "childSessionId");
  return kind === "subagent_update" ? wordField(update, "sessionId") : undefined;
}

/**
 * Shows what subagents do while they work. Each has its own session with its own updates: its calls become calls of the task that started
 * it, its text the task's output. No update says which task that is, so children are matched to tasks in the order in which both began.
 */
export class AcpSubagents {
  readonly #children = new Map<string, AcpCalls>();
  /** The task of each child, by the child's session. */
  readonly #taskOf = new Map<string, string>();
  readonly #freeTasks: string[] = [];

  announce(sessionId: string): void {
    if (this.#children.has(sessionId) || this.#children.size >= MAX_CHILDREN) return;
    this.#children.set(sessionId, new AcpCalls(() => this.#parentOf(sessionId)));
  }

  /** Registers a call of the turn or of a subagent, which may be a task. */
  noteCall({ callId, kind }: ToolCallEvent): void {
    if (kind === "task") this.#freeTasks.push(callId);
  }

  write(draft: Draft<TurnState>, sessionId: string, update: JsonObject): void {
    const calls = this.#children.get(sessionId);
    if (calls === undefined) return;
    const kind = textField(update, "sessionUpdate");
    if (kind === "tool_call" || kind === "tool_call_update") {
      closeBlock(draft);
      const before = draft.events.length;
      calls.write(draft, update);
      for (const event of draft.events.slice(before)) if (event.type === "tool-call") this.noteCall(event);
    }
    if (kind === "agent_message_chunk") this.#say(draft, sessionId, update);
    const nested = subagentSessionIn(update);
    if (nested !== undefined) this.announce(nested);
  }

  /** A subagent asks about a call. */
  showHeld(draft: Draft<TurnState>, sessionId: string, toolCall: JsonObject): void {
    this.#children.get(sessionId)?.showHeld(draft, toolCall);
  }

  showAll(draft: Draft<TurnState>): void {
    for (const calls of this.#children.values()) calls.showAll(draft);
  }

  #say(draft: Draft<TurnState>, sessionId: string, update: JsonObject): void {
    const callId = this.#parentOf(sessionId);
    const text = textField(objectField(update, "content"), "text") ?? "";
    if (callId === undefined || text === "" || draft.settledCalls.includes(callId)) return;
    closeBlock(draft);
    draft.events.push({ type: "tool-output", callId, text });
  }

  #parentOf(sessionId: string): string | undefined {
    const known = this.#taskOf.get(sessionId);
    if (known !== undefined) return known;
    const task = this.#freeTasks.shift();
    if (task !== undefined) this.#taskOf.set(sessionId, task);
    return task;
  }
}
