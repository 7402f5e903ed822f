import {
  type AgentEvent,
  type AgentEventOf,
  type AnswerApproval,
  type AnswerQuestion,
  CaretError,
  tellingArgument,
} from "@caret/protocol";
import type { OpenAsk, RememberedDecisions, TurnAsks } from "./session-engine.ts";
import { createWaitingRoom } from "./waiting-room.ts";

type ApprovalRequest = AgentEventOf<"approval-request">;
type ApprovalAnswer = AgentEventOf<"approval-answer">;
type Question = AgentEventOf<"question">;
type QuestionAnswer = AgentEventOf<"question-answer">;

const MAX_ABOUT = 200;

export interface AskedTurnOptions {
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly limitMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly remembered: RememberedDecisions;
}

/** Both ends of what a turn asks: that of the tools, which wait, and that of the person, who answers. */
export interface AskedTurn extends TurnAsks {
  approval(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
  question(request: Question, signal: AbortSignal): Promise<QuestionAnswer>;
  /** Whether this request still waits for its answer. */
  isOpen(requestId: string): boolean;
  /** The turn is over: what the log needs before its end. */
  end(): readonly AgentEvent[];
}

export function createTurnAsks({ remembered, ...options }: AskedTurnOptions): AskedTurn {
  const listeners = new Set<() => void>();
  const onChange = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const approvals = createWaitingRoom<ApprovalRequest, ApprovalAnswer>({ ...options, onChange, lapse: lapsedApproval });
  const questions = createWaitingRoom<Question, QuestionAnswer>({ ...options, onChange, lapse: lapsedQuestion });

  return {
    approval: approvals.wait,
    question: questions.wait,
    isOpen: (requestId) => (approvals.find(requestId) ?? questions.find(requestId)) !== undefined,
    open() {
      const asks: OpenAsk[] = [
        ...approvals.open().map(({ request, since }) => toAsk(request, aboutApproval(request), since)),
        ...questions.open().map(({ request, since }) => toAsk(request, aboutQuestion(request), since)),
      ];
      return asks.toSorted((one, other) => one.since - other.since);
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    answerApproval(requestId, answer) {
      const request = approvals.find(requestId);
      if (request === undefined) return false;
      approvals.answer(requestId, decided(requestId, answer));
      if (answer.remember !== true) return true;
      remembered.set(request.subject, answer.decision);
      // What waits already is asked about no more than what comes later.
      for (const { request: other } of approvals.open())
        if (other.subject === request.subject) approvals.answer(other.requestId, decided(other.requestId, answer));
      return true;
    },
    answerQuestion(requestId, answer) {
      const question = questions.find(requestId);
      if (question === undefined) return false;
      assertFits(question, answer);
      return questions.answer(requestId, toQuestionAnswer(requestId, answer));
    },
    end: () => [...approvals.end(), ...questions.end()],
  };
}

function lapsedApproval({ requestId }: ApprovalRequest, reason: string): ApprovalAnswer {
  return { type: "approval-answer", requestId, decision: "rejected", by: "policy", reason };
}

function lapsedQuestion({ requestId }: Question, reason: string): QuestionAnswer {
  return { type: "question-answer", requestId, outcome: "skipped", reason };
}

function decided(requestId: string, { decision, reason }: AnswerApproval): ApprovalAnswer {
  const answer = { type: "approval-answer", requestId, decision, by: "person" } as const;
  return reason === undefined ? answer : { ...answer, reason };
}

/** Choosing nothing at all is no answer. */
function toQuestionAnswer(requestId: string, { answers = [] }: AnswerQuestion): QuestionAnswer {
  const chosen = answers.filter(({ optionIds }) => optionIds.length > 0);
  if (chosen.length === 0) return { type: "question-answer", requestId, outcome: "skipped" };
  return {
    type: "question-answer",
    requestId,
    outcome: "answered",
    answers: chosen.map(({ questionId, optionIds }) => ({ questionId, optionIds: [...optionIds] })),
  };
}

function assertFits({ questions }: Question, { answers = [] }: AnswerQuestion): void {
  const seen = new Set<string>();
  for (const { questionId, optionIds } of answers) {
    const question = questions.find(({ id }) => id === questionId);
    if (question === undefined) throw unfit(`there is no question ${questionId}`);
    if (seen.has(questionId)) throw unfit(`the question ${questionId} is answered twice`);
    seen.add(questionId);
    const unknown = optionIds.find((optionId) => !question.options.some(({ id }) => id === optionId));
    if (unknown !== undefined) throw unfit(`the question ${questionId} has no option ${unknown}`);
    if (optionIds.length > 1 && !question.allowMultiple)
      throw unfit(`the question ${questionId} takes one option only`);
  }
}

function unfit(what: string): CaretError {
  return new CaretError("invalid-request", `The answer does not fit the question: ${what}`);
}

function toAsk(request: ApprovalRequest | Question, about: string, since: number): OpenAsk {
  const { type, requestId } = request;
  return { requestId, kind: type === "question" ? "question" : "approval", about: oneLine(about), since, request };
}

/** The first of it. Nobody decides by this line alone when there is more. */
function oneLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > MAX_ABOUT ? `${line.slice(0, MAX_ABOUT - 1)}…` : line;
}

/** As a person would say it, where the tool is one of ours. */
const verbs: Readonly<Record<string, string>> = {
  exec: "Run",
  edit: "Edit",
  write: "Write",
  mkdir: "Make the directory",
  rm: "Delete",
  web_fetch: "Fetch",
  web_search: "Search the web for",
};

function aboutApproval({ subject, input }: ApprovalRequest): string {
  const argument = tellingArgument({ kind: "other", input });
  const verb = verbs[subject];
  if (argument === "") return subject;
  return verb === undefined ? `${subject}: ${argument}` : `${verb} ${argument}`;
}

function aboutQuestion({ title, questions }: Question): string {
  return title ?? questions[0]?.prompt ?? "";
}
