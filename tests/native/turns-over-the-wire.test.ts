import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { EventEnvelope, NativeClient, SessionView } from "@caret/protocol";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { eventOf, playTurn, textOf } from "./await-event.ts";
import { MortalGateway } from "./mortal-gateway.ts";

const offered = (name: string, args: Record<string, unknown>) => ({ tool: { server: "caret", name, args } });
const write = (path: string) => offered("write", { path, content: `${path}\n` });
const questions = [
  {
    id: "colour",
    prompt: "Which colour?",
    options: [
      { id: "r", label: "Red" },
      { id: "b", label: "Blue" },
    ],
  },
];

/** Chosen by words in the prompt. Whatever has none of them is answered by the simulator's own mind. */
const scenario: ScenarioInput = {
  turns: [
    { when: "two files", steps: [write("one.txt"), write("two.txt"), { text: "Done." }] },
    { when: "ask me", steps: [offered("ask_user", { questions }), { text: "Thank you." }] },
    { when: "for ever", steps: [{ text: "Still here. " }, { hang: true }] },
    { when: "strange", steps: [{ raw: ["no json at all"] }, { event: { type: "brand_new" } }, { text: "Odd." }] },
  ],
};

let gateway: MortalGateway;
let caret: NativeClient;
let session: SessionView;
beforeAll(async () => {
  // Reading asks as well here, so that the simulator's own mind can be spoken to while it waits.
  const env = { CARET_TOOLS_RULES: JSON.stringify([{ effect: "ask", tool: "read" }]) };
  gateway = await MortalGateway.start(scenario, { env });
  caret = gateway.client();
});
afterAll(() => gateway.remove());
beforeEach(async () => {
  session = await caret.createSession({ permission: "supervised" });
});

const inWorkspace = (name: string): string => join(gateway.home.workspace, name);
const outcomes = (events: readonly EventEnvelope[]): readonly string[] =>
  events.flatMap(({ event }) => {
    if (event.type === "approval-answer") return [`${event.decision} by ${event.by}`];
    if (event.type === "tool-result") return [event.status];
    return event.type === "turn-end" ? [event.outcome.kind] : [];
  });
const logAfter = async (seq: number): Promise<readonly EventEnvelope[]> =>
  (await caret.readLog(session.id, { after: seq, limit: 10_000 })).events;

describe("approvals", () => {
  it("let happen what a person approves, and nothing else; the agent hears why", async () => {
    const { firstSeq, turnId } = await caret.startTurn(session.id, { prompt: "Write two files" });
    const first = await eventOf(caret, session.id, "approval-request", firstSeq);
    expect((await caret.getSession(session.id)).status).toMatchObject({
      kind: "waiting",
      turnId,
      waitsFor: "approval",
    });
    expect(existsSync(inWorkspace("one.txt"))).toBe(false);
    await caret.answerApproval(session.id, first.event.requestId, { decision: "approved" });
    const second = await eventOf(caret, session.id, "approval-request", first.seq);
    await caret.answerApproval(session.id, second.event.requestId, { decision: "rejected", reason: "One is enough" });
    await eventOf(caret, session.id, "turn-end", firstSeq);
    const events = await logAfter(0);
    expect(outcomes(events)).toEqual(["approved by person", "ok", "rejected by person", "rejected", "completed"]);
    expect(events.findLast(({ event }) => event.type === "tool-result")?.event).toMatchObject({
      output: expect.stringContaining("One is enough"),
    });
    expect({
      one: readFileSync(inWorkspace("one.txt"), "utf8"),
      isTwoThere: existsSync(inWorkspace("two.txt")),
    }).toEqual({ one: "one.txt\n", isTwoThere: false });
  });

  it("can be given once only, and only by an id that waits", async () => {
    const { firstSeq, turnId } = await caret.startTurn(session.id, { prompt: "Write two files" });
    const { event } = await eventOf(caret, session.id, "approval-request", firstSeq);
    const answer = () => caret.answerApproval(session.id, event.requestId, { decision: "rejected" });
    const answers = await Promise.allSettled([answer(), answer()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    await expect(caret.answerApproval(session.id, "nobody", { decision: "approved" })).rejects.toMatchObject({
      code: "not-found",
    });
    await caret.cancelTurn(session.id, turnId);
    await eventOf(caret, session.id, "turn-end", firstSeq);
  });
});

describe("a question", () => {
  it("waits for its answer, which the agent gets", async () => {
    const { firstSeq } = await caret.startTurn(session.id, { prompt: "Please ask me" });
    const { event } = await eventOf(caret, session.id, "question", firstSeq);
    expect(event.questions).toMatchObject(questions);
    await caret.answerQuestion(session.id, event.requestId, {
      answers: [{ questionId: "colour", optionIds: ["b"] }],
    });
    const result = await eventOf(caret, session.id, "tool-result", firstSeq);
    expect(result.event).toMatchObject({ status: "ok", output: expect.stringContaining("Blue") });
  });

  it("can be skipped", async () => {
    const { firstSeq } = await caret.startTurn(session.id, { prompt: "Please ask me" });
    const { event } = await eventOf(caret, session.id, "question", firstSeq);
    await caret.answerQuestion(session.id, event.requestId, {});
    const answer = await eventOf(caret, session.id, "question-answer", firstSeq);
    expect(answer.event).toMatchObject({ outcome: "skipped" });
    await eventOf(caret, session.id, "turn-end", firstSeq);
  });
});

describe("steering", () => {
  it("reaches the agent with the next tool result", async () => {
    writeFileSync(inWorkspace("notes.txt"), "plain words\n");
    const { firstSeq, turnId } = await caret.startTurn(session.id, {
      prompt: "Read notes.txt and tell me what it says",
    });
    const { event } = await eventOf(caret, session.id, "approval-request", firstSeq);
    await caret.steerTurn(session.id, turnId, "Mind the gap");
    await caret.answerApproval(session.id, event.requestId, { decision: "approved" });
    await eventOf(caret, session.id, "turn-end", firstSeq);
    const events = await logAfter(0);
    expect(textOf(events)).toMatch(/plain words.*Mind the gap/s);
    expect(events.map((envelope) => envelope.event)).toContainEqual({
      type: "notice",
      kind: "steer",
      message: "Mind the gap",
    });
  });

  it("that came too late for its turn starts the next one", async () => {
    const { firstSeq, turnId } = await caret.startTurn(session.id, { prompt: "Please ask me" });
    const { event } = await eventOf(caret, session.id, "question", firstSeq);
    await caret.answerQuestion(session.id, event.requestId, {});
    const { seq } = await eventOf(caret, session.id, "question-answer", firstSeq);
    // Whether it was heard in time depends on the agent; either way it is not lost.
    const said = caret.steerTurn(session.id, turnId, "What is 3 + 4?").then(
      () => "said",
      () => "too late",
    );
    await eventOf(caret, session.id, "turn-end", seq);
    const isSaid = (await said) === "said";
    const isHeard = async (): Promise<boolean> => JSON.stringify(await logAfter(0)).includes("What is 3 + 4?");
    await expect.poll(isHeard, { timeout: 10_000 }).toBe(isSaid);
  });

  it("is refused where the agent has tools of its own, with what to do instead", async () => {
    const { firstSeq, turnId } = await caret.startTurn(session.id, { prompt: "Go on for ever", permission: "full" });
    await eventOf(caret, session.id, "text-delta", firstSeq);
    await expect(caret.steerTurn(session.id, turnId, "Left")).rejects.toMatchObject({
      code: "unsupported",
      fix: expect.stringMatching(/stop/i),
    });
    await caret.cancelTurn(session.id, turnId);
    const { event } = await eventOf(caret, session.id, "turn-end", firstSeq);
    expect(event.outcome).toEqual({ kind: "cancelled" });
    await expect(caret.cancelTurn(session.id, "nobody")).rejects.toMatchObject({ code: "not-found" });
  });
});

it("a turn can be started as soon as the end of the last one was read", async () => {
  for (const prompt of Array<string>(3).fill("What is 2 + 3?")) await playTurn(caret, session.id, prompt);
  expect(outcomes(await logAfter(0))).toEqual(Array(3).fill("completed"));
});

describe("raw lines", () => {
  it("are sent on request, one by one and beside the events", async () => {
    await caret.changeSession(session.id, { permission: "full" });
    await playTurn(caret, session.id, "Something strange");
    const { events } = await caret.readLog(session.id, { raw: true, limit: 10_000 });
    const withRaw = events.filter(({ raw }) => raw !== undefined);
    expect(withRaw.map(({ raw }) => raw)).toContain("no json at all");
    for (const { seq, raw } of withRaw) expect(await caret.readRaw(session.id, seq)).toEqual({ raw });
    await expect(caret.readRaw(session.id, 1)).rejects.toMatchObject({ code: "not-found" });
    const plain = await caret.readLog(session.id, { limit: 10_000 });
    expect(plain.events).toEqual(events.map(({ raw, ...envelope }) => envelope));
  });

  it("can be read from the end of the log backwards", async () => {
    await caret.changeSession(session.id, { permission: "full" });
    await playTurn(caret, session.id, "Something strange");
    const { events, lastSeq } = await caret.readLog(session.id);
    const back = await caret.readLog(session.id, { before: lastSeq + 1, limit: 3 });
    expect([back.events, back.lastSeq]).toEqual([events.slice(-3), lastSeq]);
  });
});
