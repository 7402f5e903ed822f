import { CaretError, type ConversationRequest } from "@caret/protocol";
import { afterEach, expect, it } from "vitest";
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
afterEach(() => bench.close());

const tools = [{ name: "read", inputSchema: { type: "object" } }];
const named = (sessionKey: string): Partial<ConversationRequest> => ({ owner: undefined, tools, sessionKey });

async function parkedTurn(name: string) {
  bench.manner({ calls: [["a"]] });
  const turn = await bench.open([user(name)], named(name));
  return { turn, name, ids: callIdsIn(await eventsOf(turn)) };
}

const refusalOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => "begun",
    (reason: unknown) => {
      const { code, retryAfterSeconds } = CaretError.from(reason);
      return { code, retryAfterSeconds };
    },
  );

it("turns that wait for their clients give way to a newcomer, and go on when their clients come back", async () => {
  bench = createConversationBench({}, { maxTurns: 3, giveWayMs: 0, parkedLimitMs: 60_000 });
  const parked = [await parkedTurn("one"), await parkedTurn("two"), await parkedTurn("three")];
  bench.manner("answer");
  const said = await read(await bench.open([user("New")], named("new")));
  const [first] = parked;
  const outcomes = bench.engine.runningTurns().map(({ turnId }) => turnId);
  expect({ said, first: await first?.turn.outcome, left: outcomes }).toEqual({
    said: "answer 4",
    first: { kind: "cancelled" },
    left: parked.slice(1).map(({ turn }) => turn.turnId),
  });
  const id = first?.ids[0] ?? "";
  const back = await bench.open([user("one"), called(id), result(id, "R")], named("one"));
  expect({ text: await read(back), session: back.sessionId, prompt: bench.asked.at(-1)?.prompt }).toEqual({
    text: "answer 5",
    session: first?.turn.sessionId,
    prompt: expect.stringContaining(`TOOL_RESULT (name: read, call_id: ${id})\nR`),
  });
});

it("keeps a client that was just sent a call, and answers the newcomer when to come again", async () => {
  bench = createConversationBench({}, { maxTurns: 3, giveWayMs: 20_000, parkedLimitMs: 60_000 });
  const parked = [await parkedTurn("one"), await parkedTurn("two"), await parkedTurn("three")];
  expect(await refusalOf(bench.open([user("New")], named("new")))).toEqual({
    code: "overloaded",
    retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds >= 1 && seconds <= 20),
  });
  expect(bench.engine.runningTurns().length).toBe(parked.length);
});
