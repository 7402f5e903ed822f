import {
  type AgentEvent,
  type Caller,
  type CandidateView,
  CaretError,
  type CheckResult,
  emptyTranscript,
  foldTranscript,
  mainArgument,
  oneLine,
  pricedUsage,
  type Sessions,
  type StartComparison,
  type TranscriptTurn,
} from "@caret/protocol";

const MAX_LINE = 120;
const NOBODY = "Nobody can be asked during a comparison";

type Candidate = Omit<CandidateView, "id" | "model" | "state" | "lastLine">;

export interface RunCandidateOptions {
  readonly sessions: Sessions;
  readonly caller: Caller;
  readonly wanted: StartComparison;
  readonly model: string;
  /** The candidate's worktree, or the directory in it that was named. */
  readonly workspace: string;
  readonly signal: AbortSignal;
  /** Called with what has changed of the candidate. */
  readonly note: (changed: Partial<CandidateView>) => void;
  readonly check: ((signal: AbortSignal) => Promise<CheckResult>) | undefined;
}

/** One candidate, from its session to the end of its check. */
export async function runCandidate(options: RunCandidateOptions): Promise<Candidate> {
  const { sessions, caller, wanted, model, workspace, note, check, signal } = options;
  const { prompt, lane, permission, sandbox } = wanted;
  const session = await sessions.create(
    {
      workspace,
      model,
      title: `Comparison: ${oneLine(prompt, MAX_LINE)} (${model})`,
      ...(lane === undefined ? {} : { lane }),
      ...(permission === undefined ? {} : { permission }),
      ...(sandbox === undefined ? {} : { sandbox }),
    },
    caller,
  );
  note({ sessionId: session.id });
  signal.throwIfAborted();
  const { turnId, firstSeq } = await sessions.startTurn(session.id, { prompt }, caller);
  note({ state: "running" });
  const cancel = (): void => {
    // A turn that has ended by itself needs no cancelling.
    sessions.cancelTurn(session.id, turnId, caller).catch(() => undefined);
  };
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    const turn = await followTurn(options, { sessionId: session.id, turnId, firstSeq });
    note(turnOf(turn));
    if (check === undefined || signal.aborted) return {};
    note({ state: "checking" });
    return { check: await check(signal) };
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

interface StartedCandidate {
  readonly sessionId: string;
  readonly turnId: string;
  readonly firstSeq: number;
}

async function followTurn(
  { sessions, caller, note }: RunCandidateOptions,
  { sessionId, turnId, firstSeq }: StartedCandidate,
): Promise<TranscriptTurn> {
  const ended = new AbortController();
  let transcript = { ...emptyTranscript, lastSeq: firstSeq - 1 };
  const log = sessions.followLog(sessionId, { after: firstSeq - 1, signal: ended.signal }, caller);
  for await (const batch of log) {
    transcript = foldTranscript(transcript, batch);
    const line = batch.flatMap(({ event }) => lineOf(event)).at(-1);
    if (line !== undefined) note({ lastLine: oneLine(line, MAX_LINE) });
    for (const { event } of batch) await refuseAsk(sessions, sessionId, event, caller);
    const turn = transcript.turns.find((one) => one.turnId === turnId);
    if (turn?.outcome !== undefined) return turn;
  }
  throw new CaretError("session-not-found", `The session ${sessionId} was deleted during the comparison`);
}

/** The candidates' turns wait for nobody: what only a person may decide is not done, and the agent reads why. */
async function refuseAsk(sessions: Sessions, sessionId: string, event: AgentEvent, caller: Caller): Promise<void> {
  try {
    if (event.type === "approval-request")
      await sessions.answerApproval(sessionId, event.requestId, { decision: "rejected", reason: NOBODY }, caller);
    if (event.type === "question") await sessions.answerQuestion(sessionId, event.requestId, {}, caller);
  } catch (reason) {
    // An agent that answers its own asks has done so by now.
    if (!CaretError.is(reason) || reason.code !== "not-found") throw reason;
  }
}

function lineOf(event: AgentEvent): readonly string[] {
  if (event.type === "text-delta") return event.text.trim() === "" ? [] : [event.text.trim()];
  if (event.type !== "tool-call") return [];
  return [`${event.name} ${mainArgument(event)}`.trim()];
}

function turnOf(turn: TranscriptTurn): Partial<CandidateView> {
  const { outcome, startedAt, lastAt, usage } = turn;
  return {
    ...(outcome === undefined ? {} : { outcome }),
    durationMs: lastAt - startedAt,
    ...(usage === undefined ? {} : { usage: pricedUsage(turn) }),
  };
}
