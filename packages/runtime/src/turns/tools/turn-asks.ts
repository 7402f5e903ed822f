import {
  type AgentEvent,
  type AgentEventOf,
  type AnswerApproval,
  type AnswerQuestion,
  CaretError,
  mainArgument,
  markHidden,
  oneLine,
} from "@caret/protocol";
import type { Grant, GrantScope } from "../../policy/grants/grant.ts";
import { type SessionGrants, toGrantView } from "../../policy/grants/session-grants.ts";
import type { OpenAsk, TurnAsks } from "../session-engine.ts";
import { approvedByGrants, decidedByPerson, lapsed } from "./approval-answers.ts";
import { createPendingRequests } from "./pending-requests.ts";

type ApprovalRequest = AgentEventOf<"approval-request">;
type ApprovalAnswer = AgentEventOf<"approval-answer">;
type Question = AgentEventOf<"question">;
type QuestionAnswer = AgentEventOf<"question-answer">;

const MAX_ABOUT = 200;
const NOT_GRANTED = "This is dangerous, and is asked about each time.";

export interface AskedTurnOptions {
  readonly write: (events: readonly AgentEvent[]) => Promise<unknown>;
  readonly limitMs: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly grants: Pick<SessionGrants, "add">;
}

/** Alternatives to approving a call just once. */
export interface Grantable {
  /** What the request offers to allow for the rest of the session, in order. */
  readonly scopes: readonly GrantScope[];
  /** The grants that now cover it. */
  readonly use: () => readonly Grant[] | undefined;
}

/** Both sides of a turn's requests: the tools, which wait, and the person, who answers. */
export interface AskedTurn extends TurnAsks {
  approval(request: ApprovalRequest, signal: AbortSignal, grantable: Grantable): Promise<ApprovalAnswer>;
  question(request: Question, signal: AbortSignal): Promise<QuestionAnswer>;
  /** Whether this request still waits for its answer. */
  isOpen(requestId: string): boolean;
  /** Ends the turn's requests and returns the events to log before its end. */
  end(): readonly AgentEvent[];
}

export function createTurnAsks({ grants, ...options }: AskedTurnOptions): AskedTurn {
  const listeners = new Set<() => void>();
  const grantables = new Map<string, Grantable>();
  const onChange = (): void => {
    for (const listener of [...listeners]) listener();
  };
  const approvals = createPendingRequests<ApprovalRequest, ApprovalAnswer>({
    ...options,
    onChange,
    lapse: ({ requestId }, reason) => lapsed(requestId, reason),
  });
  const questions = createPendingRequests<Question, QuestionAnswer>({ ...options, onChange, lapse: lapsedQuestion });

  /** A new grant also settles requests that already wait. */
  const approveCovered = (): void => {
    for (const { request } of approvals.open()) {
      const used = grantables.get(request.requestId)?.use();
      if (used !== undefined) approvals.answer(request.requestId, approvedByGrants(request.requestId, used));
    }
  };

  return {
    async approval(request, signal, grantable) {
      grantables.set(request.requestId, grantable);
      try {
        return await approvals.wait(request, signal);
      } finally {
        grantables.delete(request.requestId);
      }
    },
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
      if (approvals.find(requestId) === undefined) return undefined;
      const wanted = wantedScope(answer, grantables.get(requestId)?.scopes ?? []);
      const granted = wanted.scope === undefined ? undefined : grants.add(wanted.scope);
      approvals.answer(requestId, decidedByPerson(requestId, answer, granted));
      if (granted === undefined) return wanted.isRefused ? { notGranted: NOT_GRANTED } : {};
      approveCovered();
      return { granted: toGrantView(granted) };
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

function lapsedQuestion({ requestId }: Question, reason: string): QuestionAnswer {
  return { type: "question-answer", requestId, outcome: "skipped", reason };
}

interface WantedScope {
  readonly scope?: GrantScope;
  /** A grant was wanted, but the request offers none. */
  readonly isRefused: boolean;
}

/** What the person allows beyond this once. */
function wantedScope({ decision, grant, remember }: AnswerApproval, scopes: readonly GrantScope[]): WantedScope {
  if (grant === undefined && remember !== true) return { isRefused: false };
  if (decision !== "approved") throw new CaretError("invalid-request", "Only an approval can be granted for longer");
  if (grant === undefined)
    return scopes[0] === undefined ? { isRefused: true } : { scope: scopes[0], isRefused: false };
  const scope = scopes[Number(grant) - 1];
  if (scope !== undefined) return { scope, isRefused: false };
  const fix = scopes.length === 0 ? NOT_GRANTED : "Name the `id` of one of the request's `grants`.";
  throw new CaretError("invalid-request", `The request offers no grant ${grant}`, { fix });
}

/** An empty choice is no answer. */
function toQuestionAnswer(requestId: string, { answers = [] }: AnswerQuestion): QuestionAnswer {
  const chosen = answers.filter(({ optionIds, text }) => optionIds.length > 0 || text !== undefined);
  if (chosen.length === 0) return { type: "question-answer", requestId, outcome: "skipped" };
  return {
    type: "question-answer",
    requestId,
    outcome: "answered",
    answers: chosen.map(({ questionId, optionIds, text }) => ({
      questionId,
      optionIds: [...optionIds],
      ...(text === undefined ? {} : { text }),
    })),
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
  return {
    requestId,
    kind: type === "question" ? "question" : "approval",
    about: oneLine(markHidden(about.slice(0, MAX_ABOUT * 4)), MAX_ABOUT),
    since,
    request,
  };
}

/** Worded as a person would, for our own tools. */
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
  const argument = mainArgument({ kind: "other", input });
  const verb = verbs[subject];
  if (argument === "") return subject;
  return verb === undefined ? `${subject}: ${argument}` : `${verb} ${argument}`;
}

function aboutQuestion({ title, questions }: Question): string {
  return title ?? questions[0]?.prompt ?? "";
}
