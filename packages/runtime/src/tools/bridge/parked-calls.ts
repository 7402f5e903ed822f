import type { AgentEvent } from "@caret/protocol";
import { meansCall } from "../../lineage/call-key.ts";
import type { AnswerCall, CallResult, OfferedCall, ToolOrigin } from "./bridge-messages.ts";
import { createMentions } from "./mentions.ts";

/** A tool call that waits, with its agent alive, for the client's result. */
export interface ParkedCall extends OfferedCall {
  readonly callId: string;
  /** The group that the tool belongs to at its client. */
  readonly server?: string;
}

export interface ParkedCallsOptions {
  /** Puts events into the turn's log, in order. */
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly newCallId: () => string;
  /** What the client calls a tool that the agent knows by this name. Absent: the same. */
  readonly originOf?: (name: string) => ToolOrigin;
  /** Why a tool cannot be called now; undefined: it can. The agent is told. */
  readonly refusalOf?: (name: string) => string | undefined;
  /** How long a client may take. */
  readonly limitMs: number;
  /** How long a call waits to be mentioned in the agent's own stream, so that the text before it is told before it. */
  readonly mentionMs?: number;
}

export interface ParkedCalls {
  /** The agent calls one of the client's tools; resolves when the client has answered, or never will. */
  readonly park: AnswerCall;
  /** The agent's stream mentioned such a call, and everything before the mention is in the log. */
  noteMention(call: OfferedCall): void;
  /** Give a call its result; its id may come back respelled. False when no such call waits. */
  answer(callId: string, result: CallResult): boolean;
  open(): readonly ParkedCall[];
  /** How many more the agent has announced. */
  announced(): number;
  /** The client has turned away: what waits is refused, and so is whatever the turn still asks for. */
  dismissAll(reason: string): void;
  /** The turn is over: what the log needs before its end. Nothing can be answered afterwards. */
  end(): readonly AgentEvent[];
}

export function createParkedCalls(options: ParkedCallsOptions): ParkedCalls {
  const waiting = new Map<string, { readonly call: ParkedCall; readonly settle: (result: CallResult) => void }>();
  const mentions = createMentions();
  let hasEnded = false;
  let refusal: string | undefined;

  const settle = (callId: string, result: CallResult, status: "ok" | "error" | "interrupted"): boolean => {
    const parked = waiting.get(callId);
    if (parked === undefined) return false;
    waiting.delete(callId);
    const told: AgentEvent = { type: "tool-result", callId, status, output: result.text };
    // The agent may go on only when the log knows what it was told.
    void options.write([told]).then(
      () => parked.settle(result),
      () => parked.settle(result),
    );
    return true;
  };

  /** Told as the gateway's own, so that no client takes it for a call to run. */
  const refuse = async ({ name, input }: Omit<ParkedCall, "callId">, reason: string): Promise<CallResult> => {
    const callId = options.newCallId();
    await options.write([
      { type: "tool-call", callId, name, kind: "other", input, owner: "gateway" },
      { type: "tool-result", callId, status: "rejected", output: reason },
    ]);
    return { text: reason, isError: true };
  };

  return {
    async park({ name, input }, signal) {
      await mentions.wait({ name, input }, options.mentionMs);
      if (hasEnded || signal.aborted) return { text: "The turn is over.", isError: true };
      const reason = refusal ?? options.refusalOf?.(name);
      if (reason !== undefined) return await refuse({ name, input }, reason);
      const origin = options.originOf?.(name) ?? { name };
      const server = origin.namespace === undefined ? {} : { server: origin.namespace };
      const call: ParkedCall = { callId: options.newCallId(), name: origin.name, ...server, input };
      const answered = Promise.withResolvers<CallResult>();
      waiting.set(call.callId, { call, settle: answered.resolve });
      await options.write([{ type: "tool-call", ...call, kind: "other", owner: "client" }]);
      const late = { text: `The client gave no result within ${options.limitMs} ms.`, isError: true };
      const timer = setTimeout(() => settle(call.callId, late, "error"), options.limitMs);
      const onAbort = (): void =>
        void settle(call.callId, { text: "The agent no longer waits.", isError: true }, "interrupted");
      signal.addEventListener("abort", onAbort, { once: true });
      if (signal.aborted) onAbort();
      const result = await answered.promise;
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      return result;
    },
    noteMention: mentions.note,
    answer(sent, result) {
      const callId = [...waiting.keys()].find((waits) => meansCall(sent, waits)) ?? sent;
      return settle(callId, result, result.isError ? "error" : "ok");
    },
    open: () => [...waiting.values()].map(({ call }) => call),
    announced: mentions.outstanding,
    dismissAll(reason) {
      refusal = reason;
      for (const callId of [...waiting.keys()]) settle(callId, { text: reason, isError: true }, "error");
    },
    end() {
      hasEnded = true;
      const left = [...waiting.values()];
      waiting.clear();
      for (const { settle: leave } of left) leave({ text: "The turn is over.", isError: true });
      return left.map(({ call }) => ({
        type: "tool-result",
        callId: call.callId,
        status: "interrupted",
        output: "The turn ended before this call had a result.",
      }));
    },
  };
}
