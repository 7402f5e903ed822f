import { CaretError } from "@caret/protocol";
import { fingerprint } from "../lineage/fingerprint.ts";
import type { OutcomeClass } from "../tools/tool.ts";
import { canonicalJson } from "./canonical-json.ts";
import { type LoopVerdict, loopNotice } from "./loop-verdict.ts";
import { createSchemaGuard } from "./schema-guard.ts";

export interface GuardedCall {
  readonly tool: string;
  readonly input: unknown;
}

export interface GuardedOutcome {
  readonly class: OutcomeClass;
  readonly output: string;
  readonly durationMs?: number;
  /** What the schema complained about, for the class `validation`; the output when absent. */
  readonly schemaSignature?: string;
}

/** How often the very same call may come to the very same end, without progress, before the model is warned. */
export interface LoopLimits {
  /** For a call that fails: the third failure warns, the fourth attempt is blocked, the fifth ends the turn. */
  readonly failures: number;
  /** For a call that succeeds: the sixth result warns, the seventh attempt is blocked, the eighth ends the turn. */
  readonly successes: number;
  /** For a call that succeeds after `waitingMs` or more, as a look at something that takes its time does. */
  readonly waits: number;
  readonly waitingMs: number;
  /** For calls that a schema refuses with the same complaint, however their arguments differ. */
  readonly schemaRefusals: number;
}

const defaults: LoopLimits = { failures: 3, successes: 6, waits: 30, waitingMs: 5_000, schemaRefusals: 3 };

/**
 * Notices a turn that goes in circles. One per turn, asked before a call runs and told how it ended.
 *
 * A loop is the same tool with the same arguments, the same result and the same class of outcome, again and again.
 * Exploration is none: other arguments are another call. Polling is none: a result that changes starts its call's count
 * anew. Progress starts every count anew: a call that this turn has not made before, and that succeeded. A result that
 * merely changes is no progress for the others, or a clock on the wall would hide every loop.
 *
 * The steps are per call and are never taken back within a turn: the first trip warns, the second blocks, the third
 * ends the turn. A blocked call has not run, so `after` is not called for it.
 */
export interface LoopGuard {
  before(call: GuardedCall): LoopVerdict;
  after(call: GuardedCall, outcome: GuardedOutcome): LoopVerdict;
}

interface CallRecord {
  ending: string;
  repeats: number;
  limit: number;
  trips: number;
}

export function createLoopGuard(options: Partial<LoopLimits> = {}): LoopGuard {
  const limits = { ...defaults, ...options };
  const records = new Map<string, CallRecord>();
  const schemaGuard = createSchemaGuard(limits.schemaRefusals);

  const count = (key: string, outcome: GuardedOutcome): CallRecord => {
    const known = records.get(key);
    if (known === undefined && outcome.class === "success") for (const record of records.values()) record.repeats = 0;
    const record = known ?? { ending: "", repeats: 0, limit: 0, trips: 0 };
    const ending = fingerprint([outcome.class, outcome.output]);
    record.repeats = record.ending === ending ? record.repeats + 1 : 1;
    record.ending = ending;
    record.limit = limitFor(outcome, limits);
    records.set(key, record);
    return record;
  };

  return {
    before(call) {
      const record = records.get(keyOf(call));
      if (record === undefined || record.trips === 0 || record.repeats < record.limit) return { kind: "go-on" };
      record.trips += 1;
      return record.trips === 2 ? block(call.tool, record) : end(call.tool, record);
    },
    after(call, outcome) {
      const record = count(keyOf(call), outcome);
      const refused = outcome.class === "validation";
      if (!refused) schemaGuard.accepted(call.tool);
      const schema = refused ? schemaGuard.refused(call.tool, outcome.schemaSignature ?? outcome.output) : goOn;
      const isTrip = record.trips === 0 && record.repeats >= record.limit;
      if (isTrip) record.trips = 1;
      return schema.kind === "go-on" && isTrip ? warn(call.tool, record) : schema;
    },
  };
}

const goOn: LoopVerdict = { kind: "go-on" };

function keyOf({ tool, input }: GuardedCall): string {
  return fingerprint([tool, canonicalJson(input)]);
}

function limitFor({ class: outcomeClass, durationMs = 0 }: GuardedOutcome, limits: LoopLimits): number {
  if (outcomeClass !== "success") return limits.failures;
  return durationMs >= limits.waitingMs ? limits.waits : limits.successes;
}

function warn(tool: string, { repeats }: CallRecord): LoopVerdict {
  const said = `${tool} was called ${repeats} times with the same arguments and the same result`;
  const text = `Caution: ${said}. Change the arguments or the approach; the same call again will not be made.`;
  return { kind: "warn", text, notice: loopNotice(said, { tool, repeats }) };
}

function block(tool: string, { repeats }: CallRecord): LoopVerdict {
  const said = `A call of ${tool} was not made, because it gave the same result ${repeats} times`;
  const text = `${said}. Change the arguments or the approach, or say what stands in the way. Trying it once more ends the turn.`;
  return { kind: "block", text, notice: loopNotice(said, { tool, repeats }) };
}

function end(tool: string, { repeats }: CallRecord): LoopVerdict {
  const said = `The agent kept calling ${tool} with the same arguments after ${repeats} equal results and a refusal`;
  return { kind: "end", error: new CaretError("loop-stopped", said) };
}
