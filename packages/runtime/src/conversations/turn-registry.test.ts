import type { ConversationRequest } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ConversationBench,
  called,
  callIdsIn,
  createConversationBench,
  eventsOf,
  read,
  result,
  user,
} from "./testing/conversation-bench.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

const clients = [
  ["that names its conversation", {}],
  ["without a name", { sessionKey: undefined }],
] as const;

/** What became of the same request, tried so many times in a row: the end of the answer, or why there was none. */
async function tryTimes(times: number, more: Partial<ConversationRequest>): Promise<readonly string[]> {
  const ends: string[] = [];
  for (let count = 0; count < times; count += 1)
    ends.push(
      await bench.open([user("A")], more).then(
        async (turn) => {
          const last = (await eventsOf(turn)).at(-1);
          return last?.type === "turn-end" ? last.outcome.kind : "";
        },
        ({ code, message }) => `${code}: ${message}`,
      ),
    );
  return ends;
}

describe.each(clients)("a client %s that repeats a request which fails", (_kind, more) => {
  it("gets the failure again instead of one agent after the other", async () => {
    bench.manner("fail");
    const again = "usage-limit: No more today (the same request has failed 2 times)";
    expect({ ends: await tryTimes(12, more), agents: bench.asked.length }).toEqual({
      ends: ["failed", "failed", ...Array(10).fill(again)],
      agents: 2,
    });
  });

  it("gets another agent after a pause, which grows", async () => {
    bench.manner("fail");
    await tryTimes(3, more);
    const agents: number[] = [];
    for (const seconds of [14, 1, 15, 15, 30, 30]) {
      bench.clock.now += seconds * 1_000;
      await tryTimes(3, more);
      agents.push(bench.asked.length);
    }
    expect(agents).toEqual([2, 3, 3, 4, 4, 5]);
  });

  it("is answered at once when it says something more", async () => {
    bench.manner("fail");
    await tryTimes(3, more);
    bench.manner("answer");
    expect(await read(await bench.open([user("A"), user("B")], more))).toBe("answer 3");
  });

  it("is answered at once by another model, as the failure advises", async () => {
    bench.manner("fail");
    await tryTimes(3, more);
    bench.manner("answer");
    const requestedModel = { model: "other", cursorModel: undefined, effort: undefined, thinking: undefined };
    expect(await read(await bench.open([user("A")], { ...more, requestedModel }))).toBe("answer 3");
  });

  it("counts from zero once it was answered, and when it has waited for long", async () => {
    bench.manner("fail");
    await tryTimes(3, more);
    bench.clock.now += 15_000;
    bench.manner("answer");
    await tryTimes(1, more);
    bench.clock.now += 3_600_000;
    bench.manner("fail");
    expect(await tryTimes(2, more)).toEqual(["failed", "failed"]);
  });

  it("gets the failure of its last results, not of its question", async () => {
    const client = { ...more, owner: undefined };
    bench.manner({ steps: [{ call: ["a"] }, "fail"] });
    const [id = ""] = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
    const results = [user("A"), called(id), result(id, "R")];
    bench.manner("fail");
    const codes: string[] = [];
    for (let count = 0; count < 4; count += 1)
      codes.push(
        await bench.open(results, client).then(
          async (turn) => `${(await eventsOf(turn)).at(-1)?.type}`,
          ({ code }) => code,
        ),
      );
    expect({ codes, agents: bench.asked.length }).toEqual({
      codes: ["turn-end", "turn-end", "usage-limit", "usage-limit"],
      agents: 2,
    });
  });
});

it("a turn that its client has left counts for no failure", async () => {
  bench.manner({ until: new Promise(() => undefined) });
  for (let count = 0; count < 4; count += 1) {
    const turn = await bench.open([user("A")], { sessionKey: undefined });
    turn.leave("gone");
    await turn.outcome;
  }
  expect(bench.asked.length).toBe(4);
});
