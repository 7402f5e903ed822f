import { type AgentEvent, CaretError, type EventEnvelope, type NativeClient } from "@caret/protocol";
import type { OpenAsk } from "@caret/runtime";
import type { AskedAsks } from "../asks/terminal-asks.ts";

export interface FollowedAsks extends AskedAsks {
  /** Events of the session as they come: they open and close what waits. */
  note(batch: readonly EventEnvelope[]): void;
}

/** What a session's turns wait for a person with, read off its events; answers go to the gateway. */
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
  /** It is closed by its answer in the log, from any client. */
  const failed = (reason: unknown): void => onError(CaretError.from(reason));
  return {
    open: () => [...open.values()],
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    answerApproval: (requestId, answer) => void client.answerApproval(sessionId(), requestId, answer).catch(failed),
    answerQuestion: (requestId, answer) => void client.answerQuestion(sessionId(), requestId, answer).catch(failed),
    // What is said to a turn travels with the next result, and that is the result of the question.
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
  // What was shown under an id stays what its answer is about.
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
