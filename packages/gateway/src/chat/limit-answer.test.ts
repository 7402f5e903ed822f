import type { AgentEvent, TakeMore } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { AnswerReader } from "./answer-reader.ts";
import type { DoorRequest } from "./door-request.ts";
import { followAnswer } from "./serve-answer.ts";
import type { AnswerLimits } from "./stop-matcher.ts";
import {
  type ScriptedConversations,
  scriptedConversations,
  telling,
  tellingOneByOne,
} from "./testing/scripted-conversations.ts";

const none: AnswerLimits = { stopSequences: [], maxOutputTokens: undefined, gap: "\n\n" };
const says = (text: string, blockId = "b1"): readonly AgentEvent[] => [
  { type: "text-start", blockId },
  { type: "text-delta", blockId, text },
  { type: "text-end", blockId },
];
const call: AgentEvent = {
  type: "tool-call",
  callId: "c1",
  name: "read",
  kind: "other",
  input: { path: "x" },
  owner: "client",
};
const thinks: AgentEvent = { type: "thinking-delta", blockId: "t", text: "x".repeat(100) };
const ended: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };

async function read(limits: Partial<AnswerLimits>, ...events: readonly AgentEvent[]) {
  return await follow(limits, scriptedConversations(telling(...events)));
}

async function follow(limits: Partial<AnswerLimits>, conversations: ScriptedConversations) {
  const turn = await conversations.open({} as DoorRequest, { tokenName: "me", workspace: undefined });
  const shown: AgentEvent[] = [];
  const progress = new AnswerReader("none");
  const { signal } = new AbortController();
  let asMore = "";
  const batches = (batch: readonly AgentEvent[]): void => {
    progress.read(batch);
    shown.push(...batch);
  };
  const more: TakeMore = (delta) => {
    if (!progress.more(delta.text)) return false;
    asMore += delta.text;
    return shown.push(delta) > 0;
  };
  const answer = { turn, limits: { ...none, ...limits }, progress, signal };
  const ending = await followAnswer(answer, Object.assign(batches, { more }));
  const texts = shown.flatMap((event) => (event.type === "text-delta" ? [event.text] : []));
  const cut = ending.kind === "finished" ? ending.cut : undefined;
  const whole = { texts, last: shown.at(-1)?.type, cut, stopped: conversations.stops.length > 0 };
  return asMore === "" ? whole : { ...whole, asMore };
}

describe("an answer with limits", () => {
  it("is sent whole within them, and its turn ends by itself", async () => {
    expect(await read({ maxOutputTokens: 2, stopSequences: ["!"] }, thinks, ...says("12345678"), ended)).toEqual({
      texts: ["12345678"],
      last: "turn-end",
      cut: undefined,
      stopped: false,
    });
  });

  it("is cut at its last token, counted over all of its blocks, and its turn is ended", async () => {
    expect(await read({ maxOutputTokens: 2 }, ...says("12345"), thinks, ...says("6789", "b2"), ended)).toEqual({
      texts: ["12345", "678"],
      last: "text-end",
      cut: { kind: "length" },
      stopped: true,
    });
  });

  it("is not cut in the middle of a character", async () => {
    expect((await read({ maxOutputTokens: 1 }, ...says("123🙂"), ended)).texts).toEqual(["123"]);
  });

  it("is cut before a stop sequence, and its turn is ended", async () => {
    expect(await read({ stopSequences: ["STOP"] }, ...says("one STOP two"), ended)).toEqual({
      texts: ["one "],
      last: "text-end",
      cut: { kind: "stop-sequence", sequence: "STOP" },
      stopped: true,
    });
  });

  it("is cut where the sequence lies in what the door writes between two blocks", async () => {
    const twoBlocks = [...says("one\n"), ...says("Human: two", "b2"), ended];
    const textsAt = async (...stopSequences: readonly string[]) =>
      (await read({ stopSequences }, ...twoBlocks)).texts.join("|");
    expect({
      gap: await textsAt("\n\n"),
      intoTheNext: await textsAt("\n\nHuman:"),
      fromTheLast: await textsAt("e\n\n\nH"),
      withoutOne: await textsAt("nothing"),
    }).toEqual({ gap: "one|\n", intoTheNext: "one|\n", fromTheLast: "on|e\n", withoutOne: "one\n|Human: two" });
  });

  it("keeps a sequence out of mind that only two separate blocks make together", async () => {
    const { texts } = await read({ gap: "", stopSequences: ["\n\n"] }, ...says("one"), ...says("two", "b2"), ended);
    expect(texts).toEqual(["one", "two"]);
  });

  it("is not cut by a sequence of which one block has the beginning and the next one the end", async () => {
    const plan: AgentEvent = { type: "plan", text: "OP two" };
    const endings = [
      await read({ gap: "", stopSequences: ["STOP"] }, ...says("one ST"), ...says("OP two", "b2"), ended),
      await read({ gap: "", stopSequences: ["STOP"] }, ...says("one ST"), plan, ended),
      await read({ gap: "\n\n", stopSequences: ["STOP"] }, ...says("one ST"), plan, ended),
      await read({ gap: "\n\n", stopSequences: ["T\n\nO"] }, ...says("one ST"), plan, ended),
    ];
    const inGap = { kind: "stop-sequence", sequence: "T\n\nO" };
    expect(endings.map(({ cut }) => cut)).toEqual([undefined, undefined, undefined, inGap]);
  });

  it("is not cut any more once the client has calls to run", async () => {
    expect(await read({ maxOutputTokens: 1 }, ...says("123"), call, ...says("4567", "b2"))).toEqual({
      texts: ["123", "4567"],
      last: "text-end",
      cut: undefined,
      stopped: false,
    });
  });

  it("says what may have been the beginning of a sequence before a call in the middle of the text", async () => {
    const [start, said, end] = says("12 ST") as [AgentEvent, AgentEvent, AgentEvent];
    const readUpTo = (limits: Partial<AnswerLimits>) =>
      read({ stopSequences: ["STOP"], ...limits }, start, said, call, end);
    expect([await readUpTo({}), await readUpTo({ maxOutputTokens: 1 })]).toEqual([
      { texts: ["12 ", "ST"], last: "text-end", cut: undefined, stopped: false },
      { texts: ["12 ", "S"], last: "text-end", cut: { kind: "length" }, stopped: true },
    ]);
  });

  it("obeys them in a plan, too", async () => {
    const plan = (text: string): AgentEvent => ({ type: "plan", text });
    const cutsOf = async (limits: Partial<AnswerLimits>) => (await read(limits, plan("one two"), ended)).cut;
    expect([await cutsOf({ maxOutputTokens: 1 }), await cutsOf({ stopSequences: ["two"] }), await cutsOf({})]).toEqual([
      { kind: "length" },
      { kind: "stop-sequence", sequence: "two" },
      undefined,
    ]);
  });

  const pieces = (...texts: readonly string[]): readonly AgentEvent[] => {
    const [start, , end] = says("") as [AgentEvent, AgentEvent, AgentEvent];
    return [start, ...texts.map((text): AgentEvent => ({ type: "text-delta", blockId: "b1", text })), end, ended];
  };

  it.each<readonly [string, Partial<AnswerLimits>, object]>([
    [
      "tokens",
      { maxOutputTokens: 3 },
      { asMore: "5678.", texts: ["1234", "5678", ".", "9!a"], cut: { kind: "length" } },
    ],
    [
      "stop sequences",
      { stopSequences: ["8.9"] },
      { texts: ["1234", "567"], cut: { kind: "stop-sequence", sequence: "8.9" } },
    ],
  ])("is cut by %s as well where it comes piece by piece", async (_what, limits, expected) => {
    const script = tellingOneByOne(...pieces("1234", "5678", ".", "9!ab", "cd"));
    expect(await follow(limits, scriptedConversations(script))).toEqual({
      last: "text-end",
      stopped: true,
      ...expected,
    });
  });
});
