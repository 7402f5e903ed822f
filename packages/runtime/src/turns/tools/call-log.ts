import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import type { LoggedCall, ToolCall, ToolResult } from "../../calls/tool-call.ts";
import { createMentions } from "./mentions.ts";

/** Calls that the agent makes together come a little apart; they go out in one answer. */
const WINDOW_MS = 80;
/** A call that the agent has announced is on its way, unless it was lost: a busy machine may take longer over it. */
const ANNOUNCED_MS = 1_000;

export interface CallLogOptions {
  /** Puts events into the turn's log, in order. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly newCallId: () => string;
  /** How long a call waits to be announced in the agent's own stream. */
  readonly mentionMs?: number;
}

/**
 * The calls of a turn that the agent does not run itself, in its log. Each reaches us twice: by the stream, which
 * announces it, and by the bridge or the program, which waits for its answer. It is logged once, where the stream had it.
 */
export interface CallLog {
  /** The agent's stream mentioned a call, and everything before the mention is in the log. */
  announce(call: ToolCall): void;
  /** Resolves when it is the call's turn to be logged: after the text before it, and the calls announced before it. */
  inOrder(call: ToolCall): Promise<void>;
  newId(): string;
  /** The call runs, or waits for its client, when this resolves. */
  begin(call: LoggedCall, who: Pick<AgentEventOf<"tool-call">, "kind" | "owner">): Promise<void>;
  /** What the call gave, after the last of its output. The agent may go on only when the log has what it was sent. */
  end(result: AgentEventOf<"tool-result">, output?: readonly AgentEvent[]): Promise<void>;
  /** Answers a call that is not made. It is logged as the gateway's, so that no client takes it for a call to run. */
  refuse(call: ToolCall, reason: string, notices?: readonly AgentEvent[]): Promise<ToolResult>;
  /** How long to wait for further calls to go out together with those that wait: none is waited for unless `isParallel`. */
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
