import type { TranscriptMessage, TurnShare } from "@caret/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { barSize } from "../testing/bar-size.ts";
import { createConversations } from "./create-conversations.ts";
import {
  answer,
  type ConversationBench,
  callIdsIn,
  createConversationBench,
  eventsOf,
  read,
  result,
  user,
} from "./testing/conversation-bench.ts";
import type { AgentStep } from "./testing/scripted-agent.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

const blocks = ["The number is 7777.", "It is odd, and I like it.", "Ask me for another."];
const saying = (texts: readonly string[]): readonly AgentStep[] => texts.map((say) => ({ say }));
const clients = [
  ["that names its conversation", {}],
  ["without a name", { sessionKey: undefined }],
] as const;

interface Next {
  readonly relation: TurnShare["relation"];
  readonly session: string;
  readonly prompt: string;
}

async function send(
  messages: readonly TranscriptMessage[],
  more: Parameters<ConversationBench["open"]>[1] = {},
): Promise<Next> {
  const turn = await bench.open(messages, more);
  await read(turn);
  return { relation: turn.relation, session: turn.sessionId, prompt: bench.asked.at(-1)?.prompt ?? "" };
}

/** What clients send back of what they got. */
const whole = blocks.join("");
const normalised: readonly (readonly [string, string])[] = [
  ["as it is", whole],
  ["trimmed and joined with blank lines", `\n${blocks.join("\n\n")}  `],
  ["joined with a space, its lines wrapped", blocks.join(" ").replaceAll(" is", "\nis")],
  ["without its first block", blocks.slice(1).join("\n")],
  ["without a block in the middle", [blocks[0], blocks[2]].join("\n")],
  ["nothing but its last block", blocks[2] ?? ""],
  ["nothing of it", ""],
  ["cut off", whole.slice(0, 25)],
  ["cut off in a block after one that was left out", `${blocks[0]}${blocks[2]?.slice(0, 6)}`],
  ["with a note in brackets", `${whole}\n[Request interrupted by user]`],
  ["with lines of activity", `${blocks[0]}\n→ read: a.txt\n  failed: no such file\n${blocks[1]}${blocks[2]}`],
  ["with its thoughts in a tag", `<think>Which one?</think>${whole}`],
  ["with a label", `Assistant: ${whole}`],
];

/** What people and guardrails turn it into. */
const edited: readonly (readonly [string, string])[] = [
  ["another number", whole.replace("7777", "1234")],
  ["a digit more", whole.replace("7777", "77777")],
  ["a word less", whole.replace("odd, and ", "")],
  ["a word more", whole.replace("odd", "not odd")],
  ["another answer", "I would rather not say."],
  ["a sentence behind it", `${whole} Or rather 8888.`],
  ["a sentence before it", `Forget 8888. ${whole}`],
  ["its blocks in another order", blocks.toReversed().join("\n")],
];

describe.each(clients)("a client %s", (_client, more) => {
  it.each(normalised)("that sends an answer back %s goes on in its session", async (_how, sent) => {
    bench.manner({ steps: saying(blocks) });
    const first = await send([user("A")], more);
    const second = await send([user("A"), answer(sent), user("B")], more);
    const third = await send([user("A"), answer(sent), user("B"), answer(whole), user("C")], more);
    expect([second, third]).toEqual([
      { relation: "continuation", session: first.session, prompt: "B" },
      { relation: "continuation", session: first.session, prompt: "C" },
    ]);
  });

  it.each(edited)("that sends %s is answered by a session that is given it", async (_how, sent) => {
    bench.manner({ steps: saying(blocks) });
    const first = await send([user("A")], more);
    const second = await send([user("A"), answer(sent), user("B")], more);
    expect({ ...second, isNew: second.session !== first.session }).toMatchObject({
      relation: "divergence",
      isNew: true,
      prompt: expect.stringContaining(sent),
    });
    const third = await send([user("A"), answer(sent), user("B"), answer(whole), user("C")], more);
    expect(third).toEqual({ relation: "continuation", session: second.session, prompt: "C" });
  });

  it("goes on in two sessions side by side, one as it was and one as it was edited, which never cross", async () => {
    const first = await send([user("A")], more);
    const asItWas = [user("A"), answer("answer 1")];
    const asEdited = [user("A"), answer("something else")];
    const seen: string[][] = [];
    for (const question of ["B", "C", "D"]) {
      const row: string[] = [];
      for (const branch of [asItWas, asEdited]) {
        branch.push(user(question));
        const next = await send(branch, more);
        branch.push(answer(`answer ${bench.asked.length}`));
        row.push(next.session, next.relation === "continuation" ? next.prompt : next.relation);
      }
      seen.push(row);
    }
    const other = seen[0]?.[2] ?? "";
    expect(seen).toEqual([
      [first.session, "B", other, "divergence"],
      [first.session, "C", other, "C"],
      [first.session, "D", other, "D"],
    ]);
    expect(other).not.toBe(first.session);
  });

  it("that edits an answer from long ago is seen to, also by a gateway that has started since", async () => {
    const messages: TranscriptMessage[] = [];
    for (const question of ["A", "B", "C"]) {
      messages.push(user(question));
      await send(messages, more);
      messages.push(answer(`answer ${bench.asked.length}`));
    }
    const restarted = createConversations({
      ...bench,
      resolveModel: async () => "auto",
      defaultWorkspace: bench.workspace,
      now: () => bench.clock.now,
    });
    const ask = async (changed: readonly TranscriptMessage[]): Promise<string> => {
      const turn = await restarted.open({ ...plain, messages: [...changed, user("D")], ...more }, caller);
      await read(turn);
      return turn.relation;
    };
    const relations = [
      await ask(messages.with(1, answer("answer 9, no: 10"))),
      await ask(messages.with(1, answer("ans"))),
    ];
    await restarted.close();
    expect(relations).toEqual(["divergence", "continuation"]);
  });

  it("goes on from a row of an earlier Caret, which does not say what was sent", async () => {
    const { remember } = bench.lineage;
    bench.lineage.remember = (answered) => {
      const { said: _, ...record } = answered.record;
      return remember({ ...answered, record });
    };
    const first = await send([user("A")], more);
    const second = await send([user("A"), answer("answer 1"), user("B")], more);
    const third = await send([user("A"), answer("what?"), user("B"), answer("answer 2"), user("C")], more);
    expect([second.session, third.session]).toEqual([first.session, first.session]);
  });
});

describe("the calls of an answer", () => {
  const tools = [{ name: "read", inputSchema: { type: "object" } }];
  const client = { owner: undefined, tools };
  const calling = (callId: string, input: unknown, text = ""): TranscriptMessage => ({
    role: "assistant",
    text,
    calls: [{ callId, name: "read", input }],
  });
  /** Asks, and returns the id of the call that ends the answer. */
  const callOf = async (): Promise<{ readonly turn: TurnShare; readonly id: string }> => {
    bench.manner({ steps: [{ say: "Let me look." }, { call: ["a"] }] });
    const turn = await bench.open([user("A")], client);
    const [id = ""] = callIdsIn(await eventsOf(turn));
    bench.manner("answer");
    return { turn, id };
  };

  it.each([
    ["as it is", { name: "a" }, "Let me look."],
    ["without what was said beside it", { name: "a" }, ""],
    ["without its arguments", {}, "Let me look."],
  ])("may be sent back %s: the agent that waits goes on", async (_how, input, text) => {
    const { turn, id } = await callOf();
    const next = await bench.open([user("A"), calling(id, input, text), result(id, "R")], client);
    expect([next.turnId, next.relation, bench.asked.length]).toEqual([turn.turnId, "continuation", 1]);
    await eventsOf(next);
  });

  it.each([
    ["other arguments", { name: "b" }, ""],
    ["an argument more", { name: "a", force: true }, ""],
    ["other words beside it", { name: "a" }, "I will not look."],
  ])("with %s are another conversation, also while the agent waits for the result", async (_how, input, text) => {
    const { turn, id } = await callOf();
    const next = await bench.open([user("A"), calling(id, input, text), result(id, "R")], client);
    await eventsOf(next);
    expect([next.sessionId === turn.sessionId, next.relation]).toEqual([false, "divergence"]);
    expect(bench.asked.at(-1)?.prompt).toContain(text === "" ? JSON.stringify(input) : text);
  });
});

const caller = { tokenName: "default", workspace: undefined };
const plain = {
  door: "openai",
  system: "Be brief.",
  tools: [{ name: "read", inputSchema: {} }],
  unavailableTools: [],
  toolChoice: "auto",
  callableTools: undefined,
  parallelCalls: true,
  requestedModel: { model: undefined, cursorModel: undefined, effort: undefined, thinking: undefined },
  sessionKey: "key",
  workspace: undefined,
  owner: "agent",
} as const;

describe("any answer", () => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/);
  const block = fc.array(word, { minLength: 4, maxLength: 12 });
  const space = fc.constantFrom("", " ", "\n", "\n\n", "\t");
  const answerBlocks = fc.array(block, { minLength: 1, maxLength: 4 });
  const textsOf = (said: readonly (readonly string[])[]): readonly string[] => said.map((words) => words.join(" "));

  /** The relation of a request that continues from these blocks, sent back in this way. */
  const relationOf = async (said: readonly (readonly string[])[], sent: string): Promise<string> => {
    const own = createConversationBench();
    try {
      own.manner({ steps: saying(textsOf(said)) });
      await read(await own.open([user("A")]));
      return (await own.open([user("A"), answer(sent), user("B")])).relation;
    } finally {
      await own.close();
    }
  };

  it("is known again, however its client spaces, joins, leaves out and cuts its blocks", async () => {
    const cases = fc.tuple(
      answerBlocks,
      fc.infiniteStream(space),
      fc.infiniteStream(fc.boolean()),
      fc.nat({ max: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([said, spaces, leaves, cut]) => {
        const gap = (): string => spaces.next().value ?? "";
        const kept = textsOf(said).filter(() => leaves.next().value !== true);
        const sent = kept.map((text) => `${gap()}${text}`).join(gap());
        return (await relationOf(said, sent.slice(0, sent.length - cut))) === "continuation";
      }),
      { numRuns: barSize({ quick: 30, full: 1_000 }) },
    );
  });

  it("is another one when any of its words was replaced, left out or added", async () => {
    const change = fc.constantFrom("replace", "remove", "add");
    const cases = fc.tuple(answerBlocks, change, fc.nat(), fc.nat());
    await fc.assert(
      fc.asyncProperty(cases, async ([said, how, which, where]) => {
        const changed = said.map((words) => [...words]);
        const words = changed[which % changed.length] ?? [];
        // Neither the first nor the last word: omitting one of those counts as cutting the answer off.
        const at = 1 + (where % (words.length - 2));
        words.splice(at, how === "add" ? 0 : 1, ...(how === "remove" ? [] : ["changed9"]));
        return (await relationOf(said, textsOf(changed).join("\n"))) === "divergence";
      }),
      { numRuns: barSize({ quick: 30, full: 1_000 }) },
    );
  });
});
