import { CaretError, type TurnOutcome } from "@caret/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGivingWay } from "./give-way.ts";
import type { RunningTurn, TurnRequest } from "./session-engine.ts";
import { createTurnIntake } from "./turn-intake.ts";

const MAX = 3;
const GIVE_WAY_MS = 10_000;

interface ModelTurn {
  /** Undefined: it works. */
  since: number | undefined;
  readonly cancel: () => void;
  readonly outcome: Promise<TurnOutcome>;
}

/** Turns that park, work on and end as they are asked to, behind the real limit. */
function createModel() {
  let now = 0;
  let running: ModelTurn[] = [];
  const cancelled: ModelTurn[] = [];
  const end = (turn: ModelTurn, resolve: (outcome: TurnOutcome) => void, kind: "completed" | "cancelled"): void => {
    running = running.filter((other) => other !== turn);
    if (kind === "cancelled") cancelled.push(turn);
    resolve({ kind });
  };
  const ends = new Map<ModelTurn, () => void>();
  const begin = async (): Promise<RunningTurn> => {
    const { promise, resolve } = Promise.withResolvers<TurnOutcome>();
    const turn: ModelTurn = { since: undefined, cancel: () => end(turn, resolve, "cancelled"), outcome: promise };
    ends.set(turn, () => end(turn, resolve, "completed"));
    running.push(turn);
    return turn as unknown as RunningTurn;
  };
  const turns = () => running.map((turn) => Object.assign(turn, { parked: { waitsSince: () => turn.since } }));
  const givingWay = createGivingWay({ turns, giveWayMs: GIVE_WAY_MS, now: () => now });
  return {
    intake: createTurnIntake(begin, { maxTurns: MAX, givingWay }),
    cancelled,
    running: () => running,
    pass: (ms: number) => {
      now += ms;
    },
    park(index: number) {
      const turn = running[index];
      if (turn !== undefined) turn.since = now;
    },
    resume(index: number) {
      const turn = running[index];
      if (turn !== undefined) turn.since = undefined;
    },
    async finish(index: number) {
      const turn = running[index];
      if (turn !== undefined) ends.get(turn)?.();
      await turn?.outcome;
    },
    now: () => now,
  };
}

const step = fc.oneof(
  fc.record({ kind: fc.constant("start" as const), count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    kind: fc.constantFrom("park" as const, "resume" as const, "finish" as const),
    index: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ kind: fc.constant("pass" as const), ms: fc.integer({ min: 1_000, max: 20_000 }) }),
);

type Model = ReturnType<typeof createModel>;

/** What has to become of so many that ask at once. */
function expectedOf({ running, now }: Model, count: number) {
  const before = [...running()];
  const since = (turn: ModelTurn): number => turn.since ?? Number.POSITIVE_INFINITY;
  const ready = before
    .filter((turn) => now() - since(turn) >= GIVE_WAY_MS)
    .toSorted((one, other) => since(one) - since(other));
  const free = MAX - before.length;
  const gaveWay = ready.slice(0, Math.max(0, count - free));
  const next = Math.min(...before.filter((turn) => !ready.includes(turn)).map(since));
  const seconds = next === Number.POSITIVE_INFINITY ? undefined : Math.ceil((GIVE_WAY_MS - (now() - next)) / 1_000);
  const refusals = Math.max(0, count - free - gaveWay.length);
  return {
    running: Math.min(MAX, before.length + count),
    gaveWay,
    refused: Array<unknown>(refusals).fill(["overloaded", seconds]),
  };
}

async function startSome({ intake, cancelled, running }: Model, count: number) {
  const before = cancelled.length;
  const asked = Array.from({ length: count }, () => intake.start({ prompt: "x" } as TurnRequest));
  const refused = (await Promise.allSettled(asked)).flatMap((result) =>
    result.status === "rejected" ? [CaretError.from(result.reason)] : [],
  );
  return {
    running: running().length,
    gaveWay: cancelled.slice(before),
    refused: refused.map(({ code, retryAfterSeconds }) => [code, retryAfterSeconds]),
  };
}

describe("a limit of three turns", () => {
  it("lets the turn that has waited longest for its client give way, and says when one would", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 40 }), async (steps) => {
        const model = createModel();
        for (const one of steps) {
          if (one.kind === "pass") model.pass(one.ms);
          else if (one.kind !== "start") await model[one.kind](one.index);
          else {
            const expected = expectedOf(model, one.count);
            expect(await startSome(model, one.count)).toEqual(expected);
          }
        }
      }),
    );
  });
});
