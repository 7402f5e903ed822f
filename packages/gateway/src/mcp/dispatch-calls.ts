import {
  type AgentEventOf,
  type AnswerApproval,
  CaretError,
  type EventEnvelope,
  type SessionView,
} from "@caret/protocol";
import { awaitTurn } from "./await-turn.ts";
import { chooseWorkspace } from "./choose-workspace.ts";
import { type Confirm, confirmation } from "./confirm-approval.ts";
import type { AnswerInput, TaskInput } from "./dispatch-fields.ts";
import type { DispatchOptions } from "./dispatch-options.ts";
import { type DispatchedTurn, openAsks, readNewestTurn, requestIdOf } from "./dispatched-turn.ts";
import { reportOf, type TurnReport } from "./turn-report.ts";

const LISTED = 10;

/** One tool call by the host. */
export interface HostCall {
  /** Aborts when the host cancels the call or leaves. */
  readonly signal: AbortSignal;
  readonly roots: () => Promise<readonly string[]>;
  readonly onEvents: (events: readonly EventEnvelope[]) => void;
  /** Asks the person at the host; undefined if this host cannot ask anyone. */
  readonly confirm: Confirm | undefined;
}

type SessionLine = Pick<SessionView, "id" | "title" | "workspace" | "status" | "lastLine">;

/** Implements the tools. Rejects with `CaretError`s. */
export interface DispatchCalls {
  run(task: TaskInput & { readonly wait_seconds?: number | undefined }, call: HostCall): Promise<TurnReport>;
  start(task: TaskInput, call: HostCall): Promise<TurnReport>;
  status(sessionId: string): Promise<TurnReport>;
  recent(): Promise<readonly SessionLine[]>;
  result(sessionId: string, waitSeconds: number | undefined, call: HostCall): Promise<TurnReport>;
  answer(input: AnswerInput, call: HostCall): Promise<TurnReport>;
  cancel(sessionId: string, call: HostCall): Promise<TurnReport>;
}

export function createDispatchCalls(options: DispatchOptions): DispatchCalls {
  const { client } = options;

  const begin = async (task: TaskInput, { roots }: HostCall): Promise<DispatchedTurn> => {
    const sessionId = task.session ?? (await createSession(options, task, roots));
    const { prompt, model, mode, permission } = task;
    const wanted = { prompt, ...given({ model, mode, permission }) };
    const { turnId, firstSeq } = await client.startTurn(sessionId, wanted);
    options.begun.add(turnId);
    return { sessionId, turnId, transcript: { lastSeq: firstSeq - 1, turns: [] } };
  };

  const wait = async (
    turn: DispatchedTurn,
    waitSeconds: number | undefined,
    { signal, onEvents }: HostCall,
    answered?: ReadonlySet<string>,
  ): Promise<TurnReport> => {
    const waitMs = waitSeconds === undefined ? options.waitMs : waitSeconds * 1000;
    const awaited = await awaitTurn(turn, { client, signal, waitMs, onEvents, ...(answered && { answered }) });
    return reportOf(awaited, answered);
  };

  /** Like `wait`, but a host that cancels the call ends the turn. */
  const attend: typeof wait = async (turn, waitSeconds, call, answered) => {
    const report = await wait(turn, waitSeconds, call, answered);
    if (call.signal.aborted && report.state !== "completed") await cancelTurn(options, turn);
    return report;
  };

  return {
    run: async (task, call) => await attend(await begin(task, call), task.wait_seconds, call),
    start: async (task, call) => reportOf(await begin(task, call)),
    status: async (sessionId) => reportOf(await readNewestTurn(client, sessionId)),
    async recent() {
      const { sessions } = await client.listSessions({ limit: LISTED });
      return sessions.map(({ id, title, workspace, status, lastLine }) => ({ id, title, workspace, status, lastLine }));
    },
    result: async (sessionId, waitSeconds, call) =>
      await wait(await readNewestTurn(client, sessionId), waitSeconds, call),
    async answer(input, call) {
      const turn = await readNewestTurn(client, input.session);
      await sendAnswer(options, turn, { input, confirm: call.confirm });
      return await attend(turn, input.wait_seconds, call, new Set([input.request]));
    },
    async cancel(sessionId, call) {
      const turn = await readNewestTurn(client, sessionId);
      await cancelTurn(options, turn);
      return await wait(turn, undefined, call);
    },
  };
}

async function createSession(
  { client, workspace }: DispatchOptions,
  { workspace: named, model, permission, title }: TaskInput,
  roots: HostCall["roots"],
): Promise<string> {
  const chosen = await chooseWorkspace(named, { roots, fallback: workspace });
  const session = await client.createSession({ workspace: chosen, ...given({ model, permission, title }) });
  return session.id;
}

/** A turn that has ended meanwhile needs no cancelling. */
async function cancelTurn({ client }: DispatchOptions, { sessionId, turnId }: DispatchedTurn): Promise<void> {
  await client.cancelTurn(sessionId, turnId).catch((reason: unknown) => {
    if (!CaretError.is(reason) || reason.code !== "not-found") throw reason;
  });
}

interface Answering {
  readonly input: AnswerInput;
  readonly confirm: Confirm | undefined;
}

async function sendAnswer(
  { client, begun }: DispatchOptions,
  turn: DispatchedTurn,
  { input, confirm }: Answering,
): Promise<void> {
  const { sessionId } = turn;
  const { request, answers, skip } = input;
  const ask = openAsks(turn).find((open) => requestIdOf(open) === request);
  if (ask === undefined)
    throw new CaretError("not-found", `Nothing waits under the request ${request} (any more)`, {
      fix: "Call `status` with the session to see what it waits for.",
    });
  if (ask.kind === "approval") {
    if (input.decision === "approved" && confirm === undefined && !begun.has(turn.turnId)) throw askedElsewhere();
    await client.answerApproval(sessionId, request, await decisionOf(ask.request, input, confirm));
    return;
  }
  if (answers === undefined && skip !== true) throw incomplete(request, "`answers`, or `skip`");
  const chosen = answers?.map(({ question, options: optionIds }) => ({ questionId: question, optionIds }));
  await client.answerQuestion(sessionId, request, given({ answers: skip === true ? undefined : chosen }));
}

/** Shows what is approved to the person at the host, if possible: the host's model may have shown something else, or nothing. */
async function decisionOf(
  asked: AgentEventOf<"approval-request">,
  { request, decision, reason, grant }: AnswerInput,
  confirm: Confirm | undefined,
): Promise<AnswerApproval> {
  if (decision === undefined) throw incomplete(request, '`decision`: "approved" or "rejected"');
  const answer: AnswerApproval = { decision, ...given({ reason, grant }) };
  if (decision === "rejected" || confirm === undefined) return answer;
  return (await confirm(confirmation(asked, grant)))
    ? answer
    : { decision: "rejected", reason: "The user did not confirm it" };
}

/** If the host cannot ask its person, its model's word is all we have, which is not enough for a turn that was begun elsewhere. */
function askedElsewhere(): CaretError {
  return new CaretError(
    "forbidden",
    "This turn was not begun here: a person is asked where it was, and this host cannot ask its own",
    {
      fix: "Decide it on the page, or with `caret approve` in a terminal. Rejecting it here is possible.",
    },
  );
}

function incomplete(request: string, what: string): CaretError {
  return new CaretError("invalid-request", `The request ${request} needs ${what}`);
}

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> };

/** The fields that have a value. */
function given<Fields extends object>(fields: Fields): Given<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>;
}
