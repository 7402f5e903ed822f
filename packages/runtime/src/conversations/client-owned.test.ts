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
} from "./testing/conversation-bench.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

const tools = [{ name: "read", inputSchema: { type: "object" } }];
const client = { owner: undefined, tools };

describe("tools that the client runs", () => {
  it("are the client's as soon as it offers some, and the agent works in a place of ours", async () => {
    bench.manner({ calls: [["a"]] });
    await eventsOf(await bench.open([user("A")], client));
    const [asked] = bench.asked;
    expect([asked?.offered?.tools, asked?.offered?.realWorkspace, bench.scratch.holds(asked?.workspace ?? "")]).toEqual(
      [tools, bench.workspace, true],
    );
  });

  it("are called together in one answer, and one turn goes on through all answers", async () => {
    bench.manner({ calls: [["a", "b"], ["c"]] });
    const first = await bench.open([user("A")], client);
    const calls = callIdsIn(await eventsOf(first));
    expect(calls.length).toBe(2);
    const [one = "", two = ""] = calls;
    const second = await bench.open([user("A"), called(one, two), result(two, "B"), result(one, "A")], client);
    const [three = ""] = callIdsIn(await eventsOf(second));
    const history = [
      user("A"),
      called(one, two),
      result(two, "B"),
      result(one, "A"),
      called(three),
      result(three, "C"),
    ];
    const third = await bench.open(history, client);
    expect([textIn(await eventsOf(third)), bench.asked.length]).toEqual(["a=A b=B c=C", 1]);
    expect(new Set([first.turnId, second.turnId, third.turnId]).size).toBe(1);
  });

  it("may be answered one at a time: those that still wait are named again", async () => {
    bench.manner({ calls: [["a", "b"]] });
    const [one = "", two = ""] = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
    const half = await bench.open([user("A"), called(one, two), result(one, "A")], client);
    expect(callIdsIn(await eventsOf(half))).toEqual([two]);
    const whole = await bench.open([user("A"), called(one, two), result(one, "A"), result(two, "B")], client);
    expect(textIn(await eventsOf(whole))).toBe("a=A b=B");
  });

  it("may give an image, which the agent is given beside the text", async () => {
    bench.manner({ calls: [["a"]] });
    const [one = ""] = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
    const image = { ...result(one, ""), parts: [{ kind: "image", mediaType: "image/png", data: "AAAA" }] } as const;
    const next = await bench.open([user("A"), called(one), image], client);
    expect(textIn(await eventsOf(next))).toBe("a=[an image, which is attached to this result] (AAAA)");
  });

  it("may hold what no program can be passed: neither the turn nor a new agent fails of it", async () => {
    bench.manner({ calls: [["a"]] });
    const odd = "a\0b\ud800";
    const [one = ""] = callIdsIn(await eventsOf(await bench.open([user(`A ${odd}`)], client)));
    const history = [user(`A ${odd}`), called(one), result(one, odd)];
    expect(textIn(await eventsOf(await bench.open(history, client)))).toBe("a=a␀b\ufffd");
    bench.manner("answer");
    const elsewhere = { ...client, sessionKey: "another", system: odd };
    const again = await bench.open([...history, user(`And now? ${odd}`)], elsewhere);
    const session = await bench.store.getSession(again.sessionId);
    expect({ text: textIn(await eventsOf(again)), prompt: bench.asked.at(-1)?.prompt, title: session?.title }).toEqual({
      text: "answer 2",
      prompt: expect.stringMatching(/A a␀b\ufffd[\s\S]*\)\na␀b\ufffd[\s\S]*And now\? a␀b\ufffd$/),
      title: "A a␀b\ufffd",
    });
  });

  it("are heard: the conversation goes on after them without being sent again", async () => {
    bench.manner({ calls: [["a"]] });
    const [one = ""] = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
    const history = [user("A"), called(one), result(one, "A")];
    await eventsOf(await bench.open(history, client));
    bench.manner("answer");
    const next = await bench.open([...history, { role: "assistant", text: "a=A", calls: [] }, user("B")], client);
    expect([next.relation, textIn(await eventsOf(next)), bench.asked.at(-1)?.prompt]).toEqual([
      "continuation",
      "answer 2",
      "B",
    ]);
  });

  it("give the same answer again to a client that lost it", async () => {
    bench.manner({ calls: [["a"]] });
    const [one = ""] = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
    const again = await bench.open([user("A")], client);
    expect([again.relation, callIdsIn(await eventsOf(again))]).toEqual(["joined", [one]]);
    const history = [user("A"), called(one), result(one, "A")];
    const answers = [
      textIn(await eventsOf(await bench.open(history, client))),
      textIn(await eventsOf(await bench.open(history, client))),
    ];
    expect([answers, bench.asked.length]).toEqual([["a=A", "a=A"], 1]);
  });

  it("are dismissed when the user says something else instead", async () => {
    bench.manner({ calls: [["a"]] });
    const first = await bench.open([user("A")], client);
    await eventsOf(first);
    bench.manner("answer");
    const next = await bench.open([user("A"), user("Never mind.")], client);
    expect([textIn(await eventsOf(next)), await first.outcome, bench.asked.at(-1)?.prompt]).toEqual([
      "answer 2",
      { kind: "completed" },
      "Never mind.",
    ]);
  });

  it("are found by their ids when the client drops punctuation or changes the case", async () => {
    bench.manner({ calls: [["a", "b"]] });
    const [one = "", two = ""] = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
    const [shouted, cut] = [one.toUpperCase(), `${two.slice(0, 1)}-_${two.slice(1)}`];
    const next = await bench.open([user("A"), called(shouted, cut), result(shouted, "A"), result(cut, "B")], client);
    expect({ text: textIn(await eventsOf(next)), agents: bench.asked.length }).toEqual({ text: "a=A b=B", agents: 1 });
  });

  it("are not answered by another token", async () => {
    bench.manner({ calls: [["a"]] });
    const [one = ""] = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
    bench.manner("answer");
    const thief = await bench.open([user("A"), called(one), result(one, "stolen")], client, {
      tokenName: "other",
      workspace: undefined,
    });
    expect([thief.relation, bench.engine.runningTurns().flatMap(({ parked }) => parked?.open() ?? []).length]).toEqual([
      "new",
      1,
    ]);
  });

  it("are sent to a new agent, with a notice, when the one that called is gone", async () => {
    bench.manner({ calls: [["a"]] });
    const first = await bench.open([user("A")], client);
    const [one = ""] = callIdsIn(await eventsOf(first));
    bench.engine.runningTurn(first.sessionId)?.cancel();
    await first.outcome;
    bench.manner("answer");
    const events = await eventsOf(await bench.open([user("A"), called(one), result(one, "A")], client));
    expect({ hasNotice: events.some((event) => event.type === "notice"), text: textIn(events) }).toEqual({
      hasNotice: true,
      text: "answer 2",
    });
    expect(bench.asked.at(-1)?.prompt).toContain(`TOOL_RESULT (name: read, call_id: ${one})\nA`);
  });

  it("stay out of a turn whose request forbids tools", async () => {
    await eventsOf(await bench.open([user("A")], { ...client, toolChoice: "none" }));
    expect([bench.asked[0]?.offered, bench.asked[0]?.mode]).toEqual([undefined, "ask"]);
  });
});
