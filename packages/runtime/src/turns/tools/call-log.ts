import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import type { LoggedCall, ToolCall, ToolResult } from "../../calls/tool-call.ts";
import { createMentions } from "./mentions.ts";

/** Calls that the agent makes together arrive slightly apart; this window collects them for one answer. */
const WINDOW_MS = 80;
/** An announced call is expected to arrive, unless it was lost; a busy machine can take this long. */
const ANNOUNCED_MS = 1_000;

export interface CallLogOptions {
  /** Appends events to the turn's log, in order. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly newCallId: () => string;
  /** How long a call waits to be announced in the agent's own stream. */
  readonly mentionMs?: number;
}

/**
 * Logs the calls of a turn that the agent does not run itself. Each reaches us twice: in the stream, which announces it, and through the
 * bridge or the program, which waits for its answer. It is logged once, at its place in the stream.
 */
export interface CallLog {
  /** The agent's stream mentioned a call; everything before the mention is in the log. */
  announce(call: ToolCall): void;
  /** Resolves when the call can be logged: after the text before it and the calls announced before it. */
  inOrder(call: ToolCall): Promise<void>;
  newId(): string;
  /** Resolves once the call is logged; it then runs, or waits for its client. */
  begin(call: LoggedCall, who: Pick<AgentEventOf<"tool-call">, "kind" | "owner">): Promise<void>;
  /** Logs the call's result after its last output. The agent may continue only once the log has what it was sent. */
  end(result: AgentEventOf<"tool-result">, output?: readonly AgentEvent[]): Promise<void>;
  /** Answers a call without making it. Logged as the gateway's, so no client mistakes it for one to run. */
  refuse(call: ToolCall, reason: string, notices?: readonly AgentEvent[]): Promise<ToolResult>;
  /** How long to wait for further calls to send together with the waiting ones: none are awaited unless `isParallel`. */
  windowMs(isParallel: boolean): number;
}

export function createCallLog({ write, newCallId, mentionMs }: CallLogOptions): CallLog {
  const mentions = createMentions();
  return {
    announce: mentions.note,
    inOrder: (call) => mentions.wait(call, mentionMs),
    newId: newCallId,
    async begin(call, who) {
      await write([{ type: "tool-call", ...call, ...who }]);
    },
    async end(result, output = []) {
      await write([...output, result]);
    },
    async refuse({ name, input }, reason, notices = []) {
      const callId = newCallId();
      await write([
        { type: "tool-call", callId, name, kind: "other", input, owner: "gateway" },
        { type: "tool-result", callId, status: "rejected", output: reason },
        ...notices,
      ]);
      return { text: reason, isError: true };
    },
    windowMs: (isParallel) => (isParallel && mentions.outstanding() > 0 ? ANNOUNCED_MS : WINDOW_MS),
  };
}
