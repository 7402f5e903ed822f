import {
  type AgentEvent,
  CaretError,
  type ConversationRequest,
  type TranscriptMessage,
  type TurnShare,
} from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withoutMarks } from "../testing/without-marks.ts";
import { type ConversationBench, createConversationBench, user } from "./testing/conversation-bench.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

const tool = (name: string) => ({ name, description: `The tool ${name}`, inputSchema: { type: "object" } });
const client: Partial<ConversationRequest> = { owner: undefined, tools: [tool("read"), tool("write")] };

const called = (...callIds: readonly string[]): TranscriptMessage => ({
  role: "assistant",
  text: "",
  calls: callIds.map((callId) => ({ callId, name: "read", input: {} })),
});
const result = (callId: string, text: string): TranscriptMessage => ({
  role: "tool",
  callId,
  parts: [{ kind: "text", text }],
  isError: false,
});

async function eventsOf(turn: TurnShare): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  await turn.follow((batch) => void events.push(...batch), new AbortController().signal);
  return events;
}

const callIdsIn = (events: readonly AgentEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "tool-call" && event.owner === "client" ? [event.callId] : []));
const textIn = (events: readonly AgentEvent[]): string =>
  events.flatMap((event) => (event.type === "text-delta" ? [event.text] : [])).join("");
const endOf = (events: readonly AgentEvent[]): string => {
  const last = events.at(-1);
  if (last?.type !== "turn-end") return String(last?.type);
  return last.outcome.kind === "failed" ? last.outcome.error.code : last.outcome.kind;
};

describe("a call that the client demands", () => {
  it("is asked for in the rules, and once more when the agent ends its turn without it", async () => {
    bench.manner("answer");
    const turn = await bench.open([user("A")], { ...client, toolChoice: { name: "write" } });
    const events = await eventsOf(turn);
    const rule = "call the tool `write` in this answer";
    expect({
      prompts: bench.asked.map(({ prompt }) => prompt),
      rules: bench.asked.map(({ offered }) => offered?.system.includes(rule)),
      sessions: new Set((await bench.store.listSessions()).sessions.map(({ id }) => id)).size,
      text: textIn(events),
      end: endOf(events),
    }).toEqual({
      prompts: ["A", expect.stringContaining("You have not called the tool `write`")],
      rules: [true, true],
      sessions: 1,
      text: "answer 1answer 2",
      end: "tool-not-called",
    });
  });

  it("is given when the agent makes it at the second try, and its result goes to that turn", async () => {
    bench.manner("answer");
    const demanding = { ...client, toolChoice: "required" } as const;
    const first = await bench.open([user("A")], demanding);
    bench.manner({ calls: [["a"]] });
    const events = await eventsOf(first);
    first.leave("answered");
    const [id = ""] = callIdsIn(events);
    const second = await bench.open([user("A"), called(id), result(id, "found")], client);
    const last = await eventsOf(second);
    expect({ end: endOf(events), text: textIn(last), lastEnd: endOf(last), turns: bench.asked.length }).toEqual({
      end: "tool-call",
      text: "a=found",
      lastEnd: "completed",
      turns: 2,
    });
  });

  it("is not asked for once more when the client has hung up, or its answer has reached a limit", async () => {
    bench.manner("answer");
    const turn = await bench.open([user("A")], { ...client, toolChoice: "required" });
    const gone = new AbortController();
    // The words come together with the end of the turn, which is kept from the client.
    await turn.follow(() => gone.abort(), gone.signal);
    turn.leave("gone");
    expect(bench.asked.map(({ prompt }) => prompt)).toEqual(["A"]);
  });

  it("is no matter of an answer that makes it by itself, nor of one that is not to", async () => {
    bench.manner({ calls: [["a"]] });
    const demanded = await eventsOf(await bench.open([user("A")], { ...client, toolChoice: "required" }));
    bench.manner("answer");
    const free = await eventsOf(await bench.open([user("B")], client));
    expect({ demanded: endOf(demanded), free: endOf(free), turns: bench.asked.length }).toEqual({
      demanded: "tool-call",
      free: "completed",
      turns: 2,
    });
  });

  it.each([
    ["none is offered", { tools: [] }, "invalid-request"],
    ["the agent runs the tools", { owner: "agent" }, "unsupported"],
  ])("is refused where %s", async (_name, more, code) => {
    const refused = bench.open([user("A")], { ...client, toolChoice: "required", ...more });
    await expect(refused.catch((reason) => CaretError.from(reason).code)).resolves.toBe(code);
  });
});

describe("what an answer may call", () => {
  it("is refused to the agent by words when its client did not choose it", async () => {
    bench.manner({ calls: [["a"]] });
    const events = await eventsOf(await bench.open([user("A")], { ...client, callableTools: ["write"] }));
    expect({ calls: callIdsIn(events), text: textIn(events) }).toEqual({
      calls: [],
      text: "a=The client wants a call of write now: no other tool can be called.",
    });
  });

  it("is one call at a time for a client that says so", async () => {
    bench.manner({ calls: [["a", "b"]] });
    const single = { ...client, parallelCalls: false };
    const first = await bench.open([user("A")], single);
    const [one = "", ...more] = callIdsIn(await eventsOf(first));
    first.leave("answered");
    const second = await bench.open([user("A"), called(one), result(one, "1")], single);
    const [two = "", ...others] = callIdsIn(await eventsOf(second));
    second.leave("answered");
    const history = [user("A"), called(one), result(one, "1"), called(two), result(two, "2")];
    const last = await eventsOf(await bench.open(history, single));
    expect({ more, others, text: textIn(last), turns: bench.asked.length }).toEqual({
      more: [],
      others: [],
      text: "a=1 b=2",
      turns: 1,
    });
  });
});

describe("tools that a client offers otherwise in mid-turn", () => {
  it("reach the agent: it is sent new ones with the result, and those that are gone are refused", async () => {
    bench.manner({ calls: [["a"], ["b"]] });
    const first = await bench.open([user("A")], client);
    const [one = ""] = callIdsIn(await eventsOf(first));
    first.leave("answered");
    const offered: string[][] = [];
    bench.asked[0]?.offered?.onToolsChange?.((tools) => void offered.push(tools.map(({ name }) => name)));
    const tools = [tool("write"), tool("late")];
    const second = await bench.open([user("A"), called(one), result(one, "1")], { ...client, tools });
    const text = textIn(await eventsOf(second));
    expect({ offered, text: withoutMarks(text) }).toEqual({
      offered: [["write", "late"]],
      text: [
        "a=<tool_result>",
        "1",
        "</tool_result>",
        "",
        "The gateway adds:",
        "The client offers these tools, too, from now on. Call them as your others, or with call_tool where you do not see them among those:",
        '- late: The tool late\n  arguments: {"type":"object"} b=The client does not offer read any more.',
      ].join("\n"),
    });
  });

  it("are none at all once the client forbids them: the agent is asked to answer in words", async () => {
    bench.manner({ calls: [["a"], ["b"]] });
    const first = await bench.open([user("A")], client);
    const [one = ""] = callIdsIn(await eventsOf(first));
    first.leave("answered");
    const history = [user("A"), called(one), result(one, "1")];
    const events = await eventsOf(await bench.open(history, { ...client, toolChoice: "none" }));
    expect({ calls: callIdsIn(events), text: textIn(events) }).toEqual({
      calls: [],
      text: "a=1 b=The client wants an answer in words now: no tool can be called.",
    });
  });

  it("are none at all once the client sends none: what is called is refused by name", async () => {
    bench.manner({ calls: [["a"], ["b"]] });
    const first = await bench.open([user("A")], client);
    const [one = ""] = callIdsIn(await eventsOf(first));
    first.leave("answered");
    const events = await eventsOf(
      await bench.open([user("A"), called(one), result(one, "1")], { ...client, tools: [] }),
    );
    expect({ calls: callIdsIn(events), text: textIn(events), agents: bench.asked.length }).toEqual({
      calls: [],
      text: "a=1 b=The client does not offer read any more.",
      agents: 1,
    });
  });

  it.each([
    ["forbids tools", { toolChoice: "none" }, "The client wants an answer in words now: no tool can be called."],
    ["no longer offers it", { tools: [tool("write")] }, "The client does not offer read any more."],
  ] as const)(
    "are not asked for again when the client gives one of two results and %s",
    async (_how, more, refusal) => {
      bench.manner({ calls: [["a", "b"]] });
      const first = await bench.open([user("A")], client);
      const [one = "", two = ""] = callIdsIn(await eventsOf(first));
      first.leave("answered");
      const history = [user("A"), called(one, two), result(one, "1")];
      const events = await eventsOf(await bench.open(history, { ...client, ...more }));
      expect({ calls: callIdsIn(events), text: textIn(events) }).toEqual({ calls: [], text: `a=1 b=${refusal}` });
    },
  );

  it.each([
    [
      "another model",
      { requestedModel: { model: "other", cursorModel: undefined, effort: undefined, thinking: undefined } },
      "other",
    ],
    ["the gateway's tools", { owner: "gateway" }, "auto"],
  ] as const)("go to the session's next turn when the request asks for %s", async (_what, more, model) => {
    bench.manner({ calls: [["a"], ["b"]] });
    const first = await bench.open([user("A")], client);
    const [one = ""] = callIdsIn(await eventsOf(first));
    first.leave("answered");
    bench.manner("answer");
    const next = await bench.open([user("A"), called(one), result(one, "1")], { ...client, ...more });
    const events = await eventsOf(next);
    expect({
      text: textIn(events),
      model: next.model,
      agents: bench.asked.length,
      prompt: bench.asked[1]?.prompt,
    }).toEqual({
      text: "answer 2",
      model,
      agents: 2,
      prompt: expect.stringContaining(`TOOL_RESULT (name: read, call_id: ${one})\n1`),
    });
    expect(bench.engine.runningTurns().filter(({ turnId }) => turnId === first.turnId)).toEqual([]);
  });
});
