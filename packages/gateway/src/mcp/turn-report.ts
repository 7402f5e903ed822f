import {
  type AgentEventOf,
  answerParts,
  approvalText,
  approvalView,
  type ErrorInfo,
  pricedUsage,
  type TranscriptTurn,
  toolsOf,
  usageWords,
} from "@caret/protocol";
import { type Ask, type DispatchedTurn, openAsks, turnIn } from "./dispatched-turn.ts";

/** Hosts cut or reject long results; the transcript has the rest. */
const MAX_ANSWER = 40_000;

export type TurnState = "running" | "waiting" | "completed" | "failed" | "cancelled";

/** A turn's report to the host. `session` is the handle for all later calls. */
export interface TurnReport {
  readonly session: string;
  readonly turn: string;
  readonly state: TurnState;
  readonly answer: string;
  readonly ask?: AskReport;
  readonly error?: { readonly code: string; readonly message: string; readonly fix: string };
  /** Files changed by the turn's own tools. */
  readonly files: readonly string[];
  readonly usage?: string;
  readonly transcript: string;
  readonly diff: string;
  /** What to do next, for the host's model. */
  readonly next: string;
}

type Approval = AgentEventOf<"approval-request">;

/** What a person has to decide, with nothing left out. */
export type AskReport =
  | {
      readonly kind: "approval";
      readonly request: string;
      readonly subject: string;
      /** Everything that is approved, as every door shows it to a person. */
      readonly shown: string;
      readonly details: Omit<Approval, "type" | "requestId" | "callId" | "subject">;
    }
  | {
      readonly kind: "question";
      readonly request: string;
      readonly title?: string;
      readonly questions: AgentEventOf<"question">["questions"];
    };

export function reportOf(turn: DispatchedTurn, answered?: ReadonlySet<string>): TurnReport {
  const { sessionId: session, turnId } = turn;
  const seen = turnIn(turn);
  const asks = openAsks(turn).map(toAskReport);
  const ask = seen?.outcome === undefined ? asks.find(({ request }) => answered?.has(request) !== true) : undefined;
  const state = seen?.outcome?.kind ?? (ask === undefined ? "running" : "waiting");
  return {
    session,
    turn: turnId,
    state,
    answer: cut(answerParts({ items: seen?.items ?? [] }).join("\n\n")),
    ...(ask === undefined ? {} : { ask }),
    ...(seen?.outcome?.kind === "failed" ? { error: errorOf(seen.outcome.error) } : {}),
    files: changedFiles(seen),
    ...usageOf(seen),
    ...sessionUris(session),
    next: nextStep(state, session, ask),
  };
}

/** URIs of a session's resources. */
export function sessionUris(session: string): Pick<TurnReport, "transcript" | "diff"> {
  return { transcript: `caret://sessions/${session}/transcript`, diff: `caret://sessions/${session}/diff` };
}

function toAskReport(ask: Ask): AskReport {
  if (ask.kind === "question") {
    const { requestId: request, title, questions } = ask.question;
    return { kind: "question", request, ...(title === undefined ? {} : { title }), questions };
  }
  const { type: _, requestId: request, callId: __, subject, ...details } = ask.request;
  return { kind: "approval", request, subject, shown: approvalText(approvalView(ask.request)), details };
}

function errorOf({ code, message, fix }: ErrorInfo): NonNullable<TurnReport["error"]> {
  return { code, message, fix };
}

function changedFiles(turn: TranscriptTurn | undefined): readonly string[] {
  const paths = toolsOf({ items: turn?.items ?? [] }).flatMap(({ status, diff }) =>
    status === "ok" && diff !== undefined ? [diff.path] : [],
  );
  return [...new Set(paths)];
}

function usageOf(turn: TranscriptTurn | undefined): Pick<TurnReport, "usage"> {
  return turn?.usage === undefined ? {} : { usage: usageWords(pricedUsage(turn)).join(", ") };
}

function cut(answer: string): string {
  if (answer.length <= MAX_ANSWER) return answer;
  return `${answer.slice(0, MAX_ANSWER)}\n\n[The answer is longer: read the transcript.]`;
}

function nextStep(state: TurnState, session: string, ask: AskReport | undefined): string {
  if (ask?.kind === "approval")
    return `The agent waits for a decision. Show the user all of \`shown\`, then call \`answer\` with session ${session}, request ${ask.request} and decision "approved" or "rejected".`;
  if (ask?.kind === "question")
    return `The agent waits for an answer. Call \`answer\` with session ${session}, request ${ask.request} and the chosen option ids, or skip the question.`;
  if (state === "running") return `The agent still works. Call \`result\` with session ${session} to wait for it.`;
  if (state === "failed") return "Do what the error says, then call `run` with the same session to go on.";
  return "Nothing waits. Call `run` with the same session to go on, or read the diff.";
}
