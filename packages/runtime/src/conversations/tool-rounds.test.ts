import type { AgentEvent, ConversationRequest, TranscriptMessage, TurnShare } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  type ConversationBench,
  called,
  callIdsIn,
  createConversationBench,
  eventsOf,
  read,
  result,
  textIn,
  user,
} from "./testing/conversation-bench.ts";
import type { AgentStep } from "./testing/scripted-agent.ts";

/** Too short to notice, and long enough for a client to come back in. */
const GRACE_MS = 60;

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench({ graceMs: GRACE_MS });
});
afterEach(() => bench.close());

const tools = [{ name: "read", inputSchema: { type: "object" } }];
const named = { owner: undefined, tools };
const unnamed = { ...named, sessionKey: undefined };
const clients = [
  ["that names its conversation", named],
  ["without a name", unnamed],
] as const;

const never = new Promise<never>(() => undefined);
const forever: AgentStep = { until: never };

/** Asks, and gives the transcript up to the results of the calls that came back. */
async function firstRound(client: Partial<ConversationRequest>, question = "A") {
  const turn = await bench.open([user(question)], client);
  const ids = callIdsIn(await eventsOf(turn));
  const transcript = [user(question), called(...ids), ...ids.map((id) => result(id, `R${ids.indexOf(id)}`))];
  return { turn, ids, transcript };
}

const runningTurns = (): number => bench.engine.runningTurns().length;
const parkedCalls = () => bench.engine.runningTurns().flatMap(({ parked }) => parked?.open() ?? []);

async function logOf(turn: TurnShare) {
  const stored = await bench.store.read(turn.sessionId, { afterSeq: 0, limit: 1_000 });
  return stored.filter(({ turnId }) => turnId === turn.turnId).map(({ event }) => event);
}

async function resultsIn(turn: TurnShare): Promise<readonly string[]> {
  return (await logOf(turn)).flatMap((event) => (event.type === "tool-result" ? [event.output] : []));
}

describe.each(clients)("a client %s", (_name, client) => {
  it("that leaves in the answer to its results has its turn cancelled in time", async () => {
    bench.manner({ steps: [{ call: ["a"] }, { say: "working" }, forever] });
    const { turn, transcript } = await firstRound(client);
    const second = await bench.open(transcript, client);
    second.leave("gone");
    expect({ outcome: await turn.outcome, same: second.turnId === turn.turnId }).toEqual({
      outcome: { kind: "cancelled" },
      same: true,
    });
  });

  it("that leaves after three tool rounds has its turn cancelled in time", async () => {
    bench.manner({ steps: [{ call: ["a"] }, { call: ["b"] }, { call: ["c"] }, forever] });
    const { turn, transcript } = await firstRound(client);
    let messages: readonly TranscriptMessage[] = transcript;
    for (let round = 2; round <= 3; round += 1) {
      const ids = callIdsIn(await eventsOf(await bench.open(messages, client)));
      messages = [...messages, called(...ids), ...ids.map((id) => result(id, "R"))];
    }
    (await bench.open(messages, client)).leave("gone");
    expect(await turn.outcome).toEqual({ kind: "cancelled" });
  });

  it("that leaves after a tool round has its next message answered at once", async () => {
    bench.manner({ steps: [{ call: ["a"] }, { say: "working" }, forever] });
    const { turn, transcript } = await firstRound(client);
    (await bench.open(transcript, client)).leave("gone");
    bench.manner("answer");
    const next = await bench.open([...transcript, user("B")], client);
    expect({ text: await read(next), session: next.sessionId, old: (await turn.outcome).kind }).toEqual({
      text: "answer 2",
      session: turn.sessionId,
      old: "cancelled",
    });
  });

  it("that goes on while it is still counted as listening is waited for", async () => {
    await bench.close();
    bench = createConversationBench({ graceMs: 20_000 });
    bench.manner({ steps: [{ call: ["a"] }, forever] });
    const { turn, transcript } = await firstRound(client);
    const second = await bench.open(transcript, client);
    bench.manner("answer");
    const next = bench.open([...transcript, user("B")], client);
    // The network reports that a client has left a little after its next request.
    setImmediate(() => second.leave("gone"));
    expect({ text: await read(await next), old: (await turn.outcome).kind }).toEqual({
      text: "answer 2",
      old: "cancelled",
    });
  });

  it("that was given its calls is waited for beyond any grace", async () => {
    await bench.close();
    bench = createConversationBench({ graceMs: 1 });
    bench.manner({ calls: [["a"], ["b"]] });
    const { transcript } = await firstRound(client);
    // Another client's round takes many times the grace.
    const other = await firstRound({ ...client, sessionKey: "other" }, "B");
    await eventsOf(await bench.open(other.transcript, { ...client, sessionKey: "other" }));
    const [two = ""] = callIdsIn(await eventsOf(await bench.open(transcript, client)));
    const end = await bench.open([...transcript, called(two), result(two, "B")], client);
    expect({ text: await read(end), agents: bench.asked.length }).toEqual({ text: "a=R0 b=B", agents: 2 });
  });

  it("that leaves before it was given a call leaves no agent that waits for it", async () => {
    bench.manner({ calls: [["a"]] });
    const turn = await bench.open([user("A")], client);
    await vi.waitFor(() => expect(parkedCalls().length).toBe(1));
    turn.leave("gone");
    expect(await turn.outcome).toEqual({ kind: "cancelled" });
  });

  it("that lost the answer with its calls gets it again, from the same agent", async () => {
    bench.manner({ calls: [["a"]] });
    const lost = await bench.open([user("A")], client);
    await vi.waitFor(() => expect(parkedCalls().length).toBe(1));
    lost.leave("gone");
    const [one = ""] = callIdsIn(await eventsOf(await bench.open([user("A")], client)));
    const end = await bench.open([user("A"), called(one), result(one, "A")], client);
    expect({ text: await read(end), agents: bench.asked.length }).toEqual({ text: "a=A", agents: 1 });
  });

  it("that gives the same results twice gets the same calls twice, and its task is finished", async () => {
    bench.manner({ calls: [["a"], ["b", "c"], ["d"]] });
    const { turn, transcript } = await firstRound(client);
    const answers = [
      callIdsIn(await eventsOf(await bench.open(transcript, client))),
      callIdsIn(await eventsOf(await bench.open(transcript, client))),
    ];
    const [two = "", three = ""] = answers[0] ?? [];
    const third = [...transcript, called(two, three), result(two, "B"), result(three, "C")];
    const [four = ""] = callIdsIn(await eventsOf(await bench.open(third, client)));
    const text = await read(await bench.open([...third, called(four), result(four, "D")], client));
    expect({ answers, text, results: await resultsIn(turn), agents: bench.asked.length }).toEqual({
      answers: [
        [two, three],
        [two, three],
      ],
      text: "a=R0 b=B c=C d=D",
      results: ["R0", "B", "C", "D"],
      agents: 1,
    });
  });

  it("that gives the same results twice at once is answered twice by one turn", async () => {
    const gate = Promise.withResolvers<void>();
    bench.manner({ steps: [{ call: ["a"] }, { say: "one " }, { until: gate.promise }, { call: ["b"] }] });
    const { turn, transcript } = await firstRound(client);
    const turns = await Promise.all([bench.open(transcript, client), bench.open(transcript, client)]);
    const answers = Promise.all(turns.map((each) => eventsOf(each)));
    gate.resolve();
    const [first = [], second = []] = await answers;
    expect({
      relations: turns.map(({ relation }) => relation),
      texts: [textIn(first), textIn(second)],
      areSame: callIdsIn(first).join() === callIdsIn(second).join(),
      results: await resultsIn(turn),
    }).toEqual({ relations: ["continuation", "joined"], texts: ["one ", "one "], areSame: true, results: ["R0"] });
  });

  it("that repeats results which the turn has gone on from gets that answer again, and disturbs nothing", async () => {
    bench.manner({ steps: [{ call: ["a"] }, { say: "two" }, { call: ["b"] }, { say: "three" }, { call: ["c"] }] });
    const { turn, transcript } = await firstRound(client);
    const before = await eventsOf(await bench.open(transcript, client));
    const [two = ""] = callIdsIn(before);
    const later = [...transcript, called(two), result(two, "B")];
    const [three = ""] = callIdsIn(await eventsOf(await bench.open(later, client)));
    const again = await bench.open(transcript, client);
    expect({ relation: again.relation, events: await eventsOf(again) }).toEqual({ relation: "joined", events: before });
    const end = await bench.open([...later, called(three), result(three, "C")], client);
    expect({ text: await read(end), results: await resultsIn(turn) }).toEqual({
      text: "a=R0 b=B c=C",
      results: ["R0", "B", "C"],
    });
  });

  it("that repeats its last results gets the turn's last words again", async () => {
    bench.manner({ calls: [["a"]] });
    const { transcript } = await firstRound(client);
    const words = [await read(await bench.open(transcript, client)), await read(await bench.open(transcript, client))];
    expect({ words, agents: bench.asked.length }).toEqual({ words: ["a=R0", "a=R0"], agents: 1 });
  });

  it("that sends results while its first answer is still read keeps both answers apart", async () => {
    bench.manner({ steps: [{ say: "one" }, { call: ["a"] }, { say: "two" }, { call: ["b"] }] });
    const turn = await bench.open([user("A")], client);
    const first: AgentEvent[] = [];
    const followed = turn.follow((batch) => void first.push(...batch), new AbortController().signal);
    await vi.waitFor(() => expect(parkedCalls().length).toBe(1));
    const [one] = parkedCalls();
    await vi.waitFor(() => expect(callIdsIn(first).length).toBe(1));
    const second = await eventsOf(
      await bench.open([user("A"), called(one?.callId ?? ""), result(one?.callId ?? "", "A")], client),
    );
    await followed;
    expect({
      first: [textIn(first), callIdsIn(first).length],
      second: [textIn(second), callIdsIn(second).length],
    }).toEqual({
      first: ["one", 1],
      second: ["two", 1],
    });
  });

  it("that gives other results for calls it has answered begins its next turn, and no second agent beside the first", async () => {
    bench.manner({ calls: [["a"], ["b"]] });
    const { turn, ids, transcript } = await firstRound(client);
    await eventsOf(await bench.open(transcript, client));
    bench.manner("answer");
    const other = await bench.open([user("A"), called(...ids), result(ids[0] ?? "", "another")], client);
    expect({ session: other.sessionId, text: await read(other) }).toEqual({
      session: turn.sessionId,
      text: "answer 2",
    });
    expect(bench.asked.at(-1)?.prompt).toContain("another");
  });
});

describe("an equal client without a name", () => {
  it("never joins a turn that waits for another client's tool", async () => {
    bench.manner({ calls: [["a"]] });
    const one = await firstRound(unnamed);
    const two = await firstRound(unnamed);
    const ends = await Promise.all(
      [one, two].map(async ({ ids: [id = ""], transcript: [question, calls] }, index) =>
        read(await bench.open([question, calls, result(id, `of ${index}`)] as TranscriptMessage[], unnamed)),
      ),
    );
    expect({ areApart: one.turn.sessionId !== two.turn.sessionId, ends }).toEqual({
      areApart: true,
      ends: ["a=of 0", "a=of 1"],
    });
  });

  it("never joins a turn that has gone on with another client's results", async () => {
    bench.manner({ calls: [["a"], ["b"]] });
    const one = await firstRound(unnamed);
    const second = await bench.open(one.transcript, unnamed);
    second.leave("gone");
    const equal = await bench.open([user("A")], unnamed);
    expect({ relation: equal.relation, isApart: equal.sessionId !== one.turn.sessionId }).toEqual({
      relation: "new",
      isApart: true,
    });
  });

  it("does not end a turn that waits for another client's tool when it says something", async () => {
    bench.manner({ calls: [["a"]] });
    const one = await firstRound(unnamed);
    await firstRound(unnamed);
    bench.manner("answer");
    await read(await bench.open([user("A"), user("B")], unnamed));
    await Promise.all(bench.engine.runningTurns().map(({ parked, settled }) => (parked?.open().length ? 0 : settled)));
    expect({ running: runningTurns(), end: await read(await bench.open(one.transcript, unnamed)) }).toEqual({
      running: 2,
      end: "a=R0",
    });
  });
});
