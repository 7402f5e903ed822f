import type { AgentEvent, ConversationRequest } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type ConversationBench,
  called,
  callIdsIn,
  createConversationBench,
  eventsOf,
  result,
  textIn,
  user,
} from "../testing/conversation-bench.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

const format = { field: "response_format", schema: { type: "object", required: ["a"] } };
const agent: Partial<ConversationRequest> = { format };
const client: Partial<ConversationRequest> = {
  format,
  owner: undefined,
  tools: [{ name: "read", inputSchema: { type: "object" } }],
};
const endOf = (events: readonly AgentEvent[]) => {
  const last = events.at(-1);
  return last?.type === "turn-end" ? last.outcome : last?.type;
};
const say = (text: string) => ({ steps: [{ say: text }] });
const again = expect.stringContaining("Your last answer cannot be used");

describe("an answer that has to be JSON", () => {
  it("is asked for once more in the same session, in a turn that only reads, and uses what both turns used", async () => {
    bench.manner(
      { steps: [{ say: "Her name is Ada." }, { used: { input: 10, output: 5 } }] },
      { steps: [{ say: '{"a":1}' }, { used: { input: 20, output: 3 } }] },
    );
    const turn = await bench.open([user("Who is it?")], agent);
    const events = await eventsOf(turn);
    const usages = events.flatMap((event) => (event.type === "usage" ? [event.usage] : []));
    const { sessions } = await bench.store.listSessions();
    expect({
      text: textIn(events),
      end: endOf(events),
      used: usages.at(-1),
      asked: bench.asked.map(({ prompt, mode }) => [prompt, mode]),
      sessions: sessions.length,
      hasActed: turn.hasActed(),
    }).toEqual({
      text: '{"a":1}',
      end: { kind: "completed" },
      used: { input: 30, output: 8 },
      asked: [
        [expect.stringContaining("Who is it?"), "agent"],
        [again, "ask"],
      ],
      sessions: 1,
      hasActed: true,
    });
  });

  it("fails for good after the second, and shows none of what was no answer", async () => {
    bench.manner(say("No."), say("Still no."));
    const events = await eventsOf(await bench.open([user("Who is it?")], agent));
    expect({ text: textIn(events), end: endOf(events), turns: bench.asked.length }).toEqual({
      text: "",
      end: { kind: "failed", error: expect.objectContaining({ code: "format-not-met", retryable: false }) },
      turns: 2,
    });
  });

  it("says how the second turn failed where that did not end", async () => {
    bench.manner(say("No."), "fail");
    const events = await eventsOf(await bench.open([user("Who is it?")], agent));
    expect(endOf(events)).toMatchObject({ kind: "failed", error: { code: "usage-limit" } });
  });

  it("comes after the client's calls: those are given at once, without the words around them", async () => {
    bench.manner(
      { steps: [{ say: "I'll read it." }, { call: ["a"] }, { say: "I have read it:" }, { call: ["b"] }] },
      say('{"a":2}'),
    );
    const first = await bench.open([user("A")], client);
    const one = await eventsOf(first);
    const [a = ""] = callIdsIn(one);
    const history = [user("A"), called(a), result(a, "A")];
    const two = await eventsOf(await bench.open(history, client));
    const [b = ""] = callIdsIn(two);
    // Its own last words are only "b=B", which is not JSON.
    const last = await bench.open([...history, called(b), result(b, "B")], client);
    const three = await eventsOf(last);
    expect({
      texts: [one, two, three].map(textIn),
      calls: [one, two, three].map((events) => callIdsIn(events).length),
      end: endOf(three),
      asked: bench.asked.map(({ prompt, offered }) => [prompt, offered?.tools.length]),
    }).toEqual({
      texts: ["", "", '{"a":2}'],
      calls: [1, 1, 0],
      end: { kind: "completed" },
      asked: [
        [expect.any(String), 1],
        [again, 1],
      ],
    });
  });

  it("is one second turn, however many clients share the answer", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.manner({ steps: [{ until: promise }, { say: "No." }] }, say('{"a":3}'));
    const shares = [await bench.open([user("Who is it?")], agent), await bench.open([user("Who is it?")], agent)];
    const answers = Promise.all(shares.map((share) => eventsOf(share)));
    resolve();
    expect([(await answers).map(textIn), bench.asked.length]).toEqual([['{"a":3}', '{"a":3}'], 2]);
  });
});
