import type { ConversationRequest } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { withoutMarks } from "../testing/without-marks.ts";
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

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

const tools = [{ name: "read", inputSchema: { type: "object" } }];
const named = { owner: undefined, tools };
const clients = [
  ["that names its conversation", named],
  ["without a name", { ...named, sessionKey: undefined }],
] as const;

/** A turn that waits for its client: the question, the call, and the turn. */
async function waitingTurn(client: Partial<ConversationRequest>) {
  bench.manner({ calls: [["a"], ["b"]] });
  const turn = await bench.open([user("A")], client);
  const [id = ""] = callIdsIn(await eventsOf(turn));
  bench.manner("answer");
  return { turn, id, asked: [user("A"), called(id)] };
}

const running = () => bench.engine.runningTurns().map(({ turnId }) => turnId);

describe.each(clients)("after an interrupted tool, a client %s", (_kind, client) => {
  it("has its question answered as a question, not given to the old turn as a result", async () => {
    const { turn, id, asked } = await waitingTurn(client);
    const next = await bench.open([...asked, result(id, "[interrupted]"), user("What is my name?")], client);
    expect({
      text: await read(next),
      isNext: next.turnId !== turn.turnId && next.sessionId === turn.sessionId,
      prompt: bench.asked.at(-1)?.prompt.split("</earlier_conversation>\n\n").at(-1),
      running: running().filter((id) => id === turn.turnId),
    }).toEqual({ text: "answer 2", isNext: true, prompt: "What is my name?", running: [] });
    const log = await bench.store.read(turn.sessionId, { afterSeq: 0, limit: 1_000 });
    const results = log.flatMap(({ event, turnId }) =>
      event.type === "tool-result" && turnId === turn.turnId ? [event.output] : [],
    );
    expect(results.filter((output) => output.includes("name"))).toEqual([]);
  });

  it("has its question answered when it also gives a real result", async () => {
    const { turn, id, asked } = await waitingTurn(client);
    const next = await bench.open([...asked, result(id, "the contents"), user("Stop. Why?")], client);
    const prompt = bench.asked.at(-1)?.prompt ?? "";
    expect({ text: await read(next), hasResult: prompt.includes("the contents"), end: prompt.slice(-10) }).toEqual({
      text: "answer 2",
      hasResult: true,
      end: "Stop. Why?",
    });
    expect(running()).not.toContain(turn.turnId);
  });

  it("may leave the interrupted result out", async () => {
    const { turn, asked } = await waitingTurn(client);
    const next = await bench.open([...asked, user("What is my name?")], client);
    expect({ text: await read(next), session: next.sessionId }).toEqual({ text: "answer 2", session: turn.sessionId });
  });

  it("has its question answered when it has changed its first message meanwhile", async () => {
    const { turn, id, asked } = await waitingTurn(client);
    const [, calls] = asked;
    const edited = [user("A, of today"), calls ?? user(""), result(id, "[interrupted]"), user("What is my name?")];
    const next = await bench.open(edited, client);
    expect({ text: await read(next), isOldGone: !running().includes(turn.turnId) }).toEqual({
      text: "answer 2",
      isOldGone: true,
    });
  });

  it("resumes its turn with results beside which only the client has added something", async () => {
    const { turn, id, asked } = await waitingTurn(client);
    const reminder = "<system-reminder>\nThe list is empty.\n</system-reminder>";
    const next = await bench.open([...asked, result(id, "R"), user(reminder)], client);
    const [two = ""] = callIdsIn(await eventsOf(next));
    const history = [...asked, result(id, "R"), user(reminder), called(two), result(two, "S")];
    const end = await eventsOf(await bench.open(history, client));
    expect({
      isSame: next.turnId === turn.turnId,
      text: withoutMarks(textIn(end)),
      agents: bench.asked.length,
    }).toEqual({
      isSame: true,
      text: `a=<tool_result>\nR\n</tool_result>\n\nThe client adds:\n${reminder} b=S`,
      agents: 1,
    });
  });

  it("ends the turn that waits when it brings the result of a call nobody knows", async () => {
    const { turn, asked } = await waitingTurn(client);
    const next = await bench.open([asked[0] ?? user(""), called("foreign"), result("foreign", "R")], client);
    expect({ text: await read(next), session: next.sessionId }).toEqual({ text: "answer 2", session: turn.sessionId });
    expect((await turn.outcome).kind).toBe("completed");
    // The outcome is known before all of the turn is freed.
    await expect.poll(running).toEqual([]);
  });

  it("never has more than one agent at work, however its ids come back", async () => {
    bench.manner({ calls: [["a"]] });
    let transcript = [user("A")];
    const counts: number[] = [];
    for (let round = 0; round < 6; round += 1) {
      await eventsOf(await bench.open(transcript, client));
      counts.push(running().length);
      transcript = [...transcript, called(`lost-${round}`), result(`lost-${round}`, "R")];
    }
    expect(counts).toEqual([1, 1, 1, 1, 1, 1]);
  });
});
