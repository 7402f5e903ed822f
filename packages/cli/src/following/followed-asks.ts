import { type AgentEvent, CaretError, type EventEnvelope, type NativeClient } from "@caret/protocol";
import type { OpenAsk } from "@caret/runtime";
import type { AskedAsks } from "../asks/terminal-asks.ts";

export interface FollowedAsks extends AskedAsks {
  /** Processes the session's events as they arrive: they open and close asks. */
  note(batch: readonly EventEnvelope[]): void;
}

/** A session's pending asks, read off its events; answers go to the gateway. */
export function followAsks(
  client: Pick<NativeClient, "answerApproval" | "answerQuestion" | "steerTurn">,
  sessionId: () => string,
  onError: (error: CaretError) => void,
): FollowedAsks {
  const open = new Map<string, OpenAsk>();
  const listeners = new Set<() => void>();
  let turnId = "";
  const notify = (): void => {
    for (const listener of [...listeners]) listener();
  };
  /** An ask closes when its answer, from any client, is logged. */
  const failed = (reason: unknown): void => onError(CaretError.from(reason));
  return {
    open: () => [...open.values()],
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    answerApproval: (requestId, answer) => void client.answerApproval(sessionId(), requestId, answer).catch(failed),
    answerQuestion: (requestId, answer) => void client.answerQuestion(sessionId(), requestId, answer).catch(failed),
    // Steering text travels with the next result, which is that of the question.
    answerInWords: (requestId, words) =>
      void client
        .steerTurn(sessionId(), turnId, words)
        .then(() => client.answerQuestion(sessionId(), requestId, {}))
        .catch(failed),
    note(batch) {
      const before = [...open.keys()].join();
      for (const { event, at, turnId: of } of batch) {
        turnId = of;
        apply(open, event, at);
      }
      if ([...open.keys()].join() !== before) notify();
    },
  };
}

function apply(open: Map<string, OpenAsk>, event: AgentEvent, at: number): void {
  // What was shown under an id remains what its answer refers to.
  if (
    "requestId" in event &&
    event.type !== "approval-answer" &&
    event.type !== "question-answer" &&
    open.has(event.requestId)
  )
    return;
  switch (event.type) {
    case "approval-request":
      open.set(event.requestId, { ...askOf(event, at), kind: "approval", about: event.subject });
      return;
    case "question":
      open.set(event.requestId, { ...askOf(event, at), kind: "question", about: event.title ?? "" });
      return;
    case "approval-answer":
    case "question-answer":
      open.delete(event.requestId);
      return;
    case "turn-start":
    case "turn-end":
      open.clear();
      return;
    default:
  }
}

function askOf(request: OpenAsk["request"], since: number): Pick<OpenAsk, "requestId" | "since" | "request"> {
  return { requestId: request.requestId, since, request };
}
