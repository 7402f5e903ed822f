import { CaretError } from "@caret/protocol";
import { canonicalJson } from "../../calls/canonical-json.ts";
import { fingerprint } from "../../calls/fingerprint.ts";
import type { OutcomeClass, ToolCall } from "../../calls/tool-call.ts";
import { createCallRounds } from "./call-rounds.ts";
import { type LoopVerdict, loopNotice } from "./loop-verdict.ts";
import { createSchemaRefusals } from "./schema-guard.ts";

export interface GuardedOutcome {
  readonly class: OutcomeClass;
  readonly output: string;
  readonly durationMs?: number;
  /** The schema's complaint, for the class `validation`. Default: the output. */
  readonly schemaSignature?: string;
  /** The call never ran: the tool is unknown or its schema refused the arguments. Default: derived from the class. */
  readonly isRefused?: boolean;
}

/**
 * How often in a row the very same call may have the very same outcome before the model is warned; the next attempt is blocked, and the
 * one after that ends the turn. 0 disables a limit.
 */
export interface LoopLimits {
  /** For a failing call: the third failure warns, the fourth attempt is blocked, the fifth ends the turn. */
  readonly failures: number;
  /** For a succeeding call: the sixth result warns, the seventh attempt is blocked, the eighth ends the turn. */
  readonly repeats: number;
  /** For a call that succeeds after `waitingMs` or more, as polling a slow operation does. */
  readonly waits: number;
  readonly waitingMs: number;
  /** For the same two to four calls in the same order, of which at least one succeeds. */
  readonly rounds: number;
  /** For calls refused with the same complaint, by a schema or because the tool is unknown, whatever their arguments. */
  readonly schemaRefusals: number;
}

const defaults: LoopLimits = {
  failures: 3,
  repeats: 6,
  waits: 30,
  waitingMs: 5_000,
  rounds: 30,
  schemaRefusals: 3,
};

/** Rounds allowed per allowed failure of a single call, if every call of the round fails: agents try things in turns. */
const FAILING_ROUNDS = 2;

/**
 * Detects a turn that goes in circles. One per turn; asked before a call runs and told its outcome.
 *
 * A loop is the same tool with the same arguments, the same result and the same class of outcome, again and again, with no other call
 * between; or a round of a few such calls. Exploration is not a loop: other arguments make another call. Polling is not a loop: a changed
 * result restarts the count. Neither is looking at the same thing now and then: any other call restarts the count.
 *
 * The steps are per call and are never taken back within a turn: the first trip warns, the second blocks, the third ends the turn. A
 * blocked call has not run, so `after` is not called for it.
 */
export interface LoopDetector {
  before(call: ToolCall): LoopVerdict;
  after(call: ToolCall, outcome: GuardedOutcome): LoopVerdict;
}

/** The current streak: consecutive identical calls with identical results. */
interface Row {
  readonly key: string;
  readonly ending: string;
  readonly repeats: number;
  readonly limit: number;
}

export function createLoopDetector(options: Partial<LoopLimits> = {}): LoopDetector {
  const limits = withoutZeros({ ...defaults, ...options });
  const trips = new Map<string, number>();
  const schemaRefusals = createSchemaRefusals(limits.schemaRefusals);
  const rounds = createCallRounds();
  let row: Row = { key: "", ending: "", repeats: 0, limit: Number.POSITIVE_INFINITY };

  /** The loop that another call with this key would continue, if it is over its limit. */
  const loopOf = (key: string): Loop | undefined => {
    if (row.key === key && row.repeats >= row.limit) return { id: key, repeats: row.repeats, isRound: false };
    const round = rounds.current();
    if (round === undefined || round.nextKey !== key) return undefined;
    const limit = round.hasSuccess ? limits.rounds : limits.failures * FAILING_ROUNDS;
    return round.rounds >= limit ? { id: "round", repeats: round.rounds, isRound: true } : undefined;
  };

  const trip = ({ id }: Loop): number => {
    const count = (trips.get(id) ?? 0) + 1;
    trips.set(id, count);
    return count;
  };

  /** The first trip comes after a call, once it is known to have repeated its outcome again. */
  const warnOf = (tool: string, key: string): LoopVerdict => {
    const loop = loopOf(key) ?? loopOf(rounds.current()?.nextKey ?? "");
    if (loop === undefined || trips.has(loop.id)) return proceed;
    trip(loop);
    return warn(tool, loop);
  };

  return {
    before(call) {
      const loop = loopOf(keyOf(call));
      if (loop === undefined || !trips.has(loop.id)) return proceed;
      return trip(loop) === 2 ? block(call.name, loop) : end(call.name, loop);
    },
    after(call, outcome) {
      const [key, ending] = [keyOf(call), fingerprint([outcome.class, outcome.output])];
      const isAgain = row.key === key && row.ending === ending;
      row = { key, ending, repeats: isAgain ? row.repeats + 1 : 1, limit: limitFor(outcome, limits) };
      rounds.add({ key, ending, isSuccess: outcome.class === "success" });
      const isRefused = outcome.isRefused ?? outcome.class === "validation";
      if (!isRefused) schemaRefusals.accepted(call.name);
      const schema = isRefused ? schemaRefusals.refused(call.name, outcome.schemaSignature ?? outcome.output) : proceed;
      const verdict = warnOf(call.name, key);
      return schema.kind === "proceed" ? verdict : schema;
    },
  };
}

interface Loop {
  /** Key by which the steps are counted. */
  readonly id: string;
  readonly repeats: number;
  /** A round of several calls rather than one repeated call. */
  readonly isRound: boolean;
}

function withoutZeros(limits: LoopLimits): LoopLimits {
  const off = (limit: number): number => (limit === 0 ? Number.POSITIVE_INFINITY : limit);
  const { failures, repeats, waits, rounds, schemaRefusals } = limits;
  return {
    ...limits,
    failures: off(failures),
    repeats: off(repeats),
    waits: off(waits),
    rounds: off(rounds),
    schemaRefusals: off(schemaRefusals),
  };
}

const proceed: LoopVerdict = { kind: "proceed" };

function keyOf({ name, input }: ToolCall): string {
  return fingerprint([name, canonicalJson(input)]);
}

function limitFor({ class: outcomeClass, durationMs = 0 }: GuardedOutcome, limits: LoopLimits): number {
  if (outcomeClass !== "success") return limits.failures;
  return durationMs >= limits.waitingMs ? limits.waits : limits.repeats;
}

function warn(tool: string, { repeats, isRound }: Loop): LoopVerdict {
  const said = isRound
    ? `The same few calls, ${tool} among them, were made ${repeats} times in turn with the same results`
    : `${tool} was called ${repeats} times in a row with the same arguments and the same result`;
  const text = `Caution: ${said}. Change the arguments or the approach; the same call again will not be made.`;
  return { kind: "warn", text, notice: loopNotice(said, { tool, repeats }) };
}

function block(tool: string, { repeats, isRound }: Loop): LoopVerdict {
  const why = isRound ? "it is one of the same calls in turn" : "it gave the same result";
  const said = `A call of ${tool} was not made, because ${why} ${repeats} times in a row`;
  const text = `${said}. Change the arguments or the approach, or say what stands in the way. Trying it once more ends the turn.`;
  return { kind: "block", text, notice: loopNotice(said, { tool, repeats }) };
}

function end(tool: string, { repeats }: Loop): LoopVerdict {
  const said = `The agent kept calling ${tool} with the same arguments after ${repeats} equal results in a row and a refusal`;
  return { kind: "end", error: new CaretError("loop-stopped", said) };
}
