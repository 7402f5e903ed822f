import type { CommandKey, TurnShare } from "@caret/protocol";
import type { KeyedLock } from "../../async/keyed-lock.ts";
import type { SessionEngine } from "../../turns/session-engine.ts";
import type { TranscriptKey, TranscriptMatch } from "../matching/classify-transcript.ts";
import type { ReadQuestion } from "../matching/read-question.ts";
import { type AskedAgain, planDemand } from "../plan-turn.ts";
import { recallTurn } from "../recall-turn.ts";
import type { ResolvedRequest } from "../resolved-request.ts";
import type { SharedTurn } from "../shared-turn.ts";
import type { TurnRegistry } from "../turn-registry.ts";
import { answerAgain, createEndFilter, type EndFilter } from "./answer-again.ts";
import { formatAgain, formatUnmet } from "./format-demand.ts";
import { createFormatFilter } from "./format-filter.ts";
import { demandAgain, demandUnmet } from "./tool-demand.ts";

export interface DemandsOptions {
  readonly engine: Pick<SessionEngine, "runningTurn" | "store">;
  readonly registry: Pick<TurnRegistry, "start" | "find">;
  readonly lock: KeyedLock;
  readonly lineOf: (question: ReadQuestion) => Promise<TranscriptKey>;
  readonly now: () => number;
}

/**
 * Verifies how the agent ends its turn if a request demands a call of the client's tools or an answer in JSON. If the demand is not met,
 * the agent is asked once more, in a turn that continues the same answer; then the answer fails. Each turn has one such repetition,
 * however many clients share or repeat it. Turns without a demand are not affected.
 */
export function createDemands(options: DemandsOptions) {
  const { lock, registry } = options;
  const repetitions = new Map<string, SharedTurn>();

  const repeat = async (resolved: ResolvedRequest, first: TurnShare, asked: AskedAgain): Promise<TurnShare> => {
    const { hash } = await options.lineOf(resolved.question);
    const known = repetitions.get(first.turnId);
    if (known !== undefined && !known.isSpent) return known.take(hash, "joined", resolved.client);
    const recalled = await recallTurn(
      { ...resolved, command: repetitionOf(resolved.command) },
      { store: options.engine.store, findShared: registry.find, hash, now: options.now },
    );
    if ("turn" in recalled) return recalled.turn;
    const shared = await startRepetition(options, { ...resolved, ...recalled }, first.sessionId, asked);
    for (const [turnId, { isSpent }] of repetitions) if (isSpent) repetitions.delete(turnId);
    repetitions.set(first.turnId, shared);
    return shared.take(hash, "continuation", resolved.client);
  };

  const isRepetition = ({ turnId }: TurnShare): boolean =>
    [...repetitions.values()].some(({ turn }) => turn.turnId === turnId);

  return (resolved: ResolvedRequest, turn: TurnShare): TurnShare => {
    const demand = demandOf(resolved);
    if (demand === undefined) return turn;
    return answerAgain(turn, {
      openFilters: () => Array.from({ length: isRepetition(turn) ? 1 : 2 }, demand.openFilter),
      start: () => lock.run(resolved.question.scope, () => repeat(resolved, turn, demand.again())),
      failure: () => demand.failure().toInfo(),
    });
  };
}

/** The record of a keyed request's second turn, so the same request is answered with the same two turns. */
function repetitionOf(command: CommandKey | undefined): CommandKey | undefined {
  return command && { ...command, name: `${command.name} again` };
}

async function startRepetition(
  { engine, registry, lineOf }: DemandsOptions,
  resolved: ResolvedRequest,
  sessionId: string,
  asked: AskedAgain,
): Promise<SharedTurn> {
  await engine.runningTurn(sessionId)?.settled;
  const line = await lineOf(resolved.question);
  const heard = {
    newFrom: resolved.question.messages.length,
    heardBefore: line.count,
    addedSystem: "",
    addedNotes: [],
  };
  const match: TranscriptMatch = { line, relation: "continuation", sessionId, ...heard };
  const plan = planDemand(resolved, { sessionId, aside: line.aside }, asked);
  const { command } = resolved;
  return await registry.start(match, command === undefined ? plan : { ...plan, command }, resolved);
}

/** What an answer must be, and what is said if it is not. */
interface Demand {
  openFilter(): EndFilter;
  again(): AskedAgain;
  failure(): ReturnType<typeof formatUnmet>;
}

function demandOf(resolved: ResolvedRequest): Demand | undefined {
  const { terms, format, owner } = resolved;
  const { demanded } = terms;
  if (demanded === undefined && format === undefined) return undefined;
  let problem = "";
  const onUnmet = (found: string): void => {
    problem = found;
  };
  const openFilter = (): EndFilter =>
    format === undefined
      ? createEndFilter(({ kind }, hasCall) => kind === "completed" && !hasCall)
      : createFormatFilter({
          demand: format,
          endsEarly: owner === "none" || owner === "client",
          needsCall: demanded !== undefined,
          onUnmet,
        });
  if (demanded !== undefined)
    return {
      openFilter,
      again: () => ({
        prompt: demandAgain(demanded),
        why: "The client demands a tool call and the agent made none: it was asked once more.",
        isForWords: false,
      }),
      failure: () => demandUnmet(demanded),
    };
  return (
    format && {
      openFilter,
      again: () => ({
        prompt: formatAgain(problem, format),
        why: `The client demands JSON, and the answer cannot be used: ${problem}. The agent was asked once more.`,
        isForWords: true,
      }),
      failure: () => formatUnmet(problem),
    }
  );
}
