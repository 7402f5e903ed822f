import type { AgentEventOf, NativeClient } from "@caret/protocol";
import { barSize, isFullRun } from "@caret/runtime/testing/bar-size.ts";
import type { ScenarioInput } from "@caret/simulator";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { MortalGateway } from "../native/mortal-gateway.ts";

const tool = (name: string, args: Record<string, unknown> = {}) => ({ tool: { server: "caret", name, args } });
const from = "Message (?<id>[-\\w]+) from the agent (?<who>[-\\w]+)[^:]*:";
const scenario: ScenarioInput = {
  turns: [
    { when: `${from}.*ping`, steps: [tool("send_message", { to: "{{who}}", text: "pong", reply_to: "{{id}}" })] },
    { when: `${from}.*pong`, steps: [{ text: "Thank you, {{who}}." }] },
    { when: "please ping (?<who>[-\\w]+)", steps: [tool("send_message", { to: "{{who}}", text: "ping" })] },
    { when: "who is there", steps: [tool("report_status", { text: "I look around" }), tool("list_agents")] },
    { when: "write to yourself", steps: [tool("send_message", { to: "ann", text: "Hello" })] },
    { when: "write to nobody", steps: [tool("send_message", { to: "nobody", text: "Hello" })] },
    { when: "read your inbox", steps: [{ delay: 10 }, tool("read_inbox")] },
    { when: "ask a person", steps: [tool("ask_human", { question: "Which colour?", wait_seconds: 60 })] },
    { when: "await (?<id>[-\\w]+)", steps: [tool("wait_for_reply", { message: "{{id}}", wait_seconds: 0 })] },
    { when: "spawn (?<name>[-\\w]+)", steps: [tool("spawn_agent", { name: "{{name}}", task: "please ping ann" })] },
  ],
};

let gateway: MortalGateway;
let caret: NativeClient;
beforeAll(async () => {
  gateway = await MortalGateway.start(scenario);
  caret = gateway.client();
  for (const name of ["ann", "bob"]) await createAgent(name);
});
afterAll(() => gateway.remove());

function createAgent(name: string, permission: "auto-edits" | "auto" = "auto-edits") {
  return caret.createAgent({ name, workspace: gateway.home.workspace, permission, lane: "sim" });
}

async function untilIdle(name: string): Promise<void> {
  await expect.poll(async () => (await caret.getAgent(name)).doing.kind).toBe("idle");
}

type ToolResult = AgentEventOf<"tool-result">;

/** Gives an agent a message, waits until it has worked it off, and gives the results of its calls. */
async function tell(name: string, text: string): Promise<readonly Pick<ToolResult, "status" | "output">[]> {
  const { sessionId, lastSeq } = await caret.getAgent(name);
  await caret.sendMessage(name, { text });
  await untilIdle(name);
  return await resultsAfter(sessionId, lastSeq);
}

async function resultsAfter(sessionId: string, after: number): Promise<readonly ToolResult[]> {
  const { events } = await caret.readLog(sessionId, { after, limit: 10_000 });
  return events.flatMap(({ event }) => (event.type === "tool-result" ? [event] : []));
}

const json = (result: Pick<ToolResult, "output"> | undefined): unknown => JSON.parse(result?.output ?? "null");

describe("the tools of an agent", () => {
  it("list the others, and show what it says about its own work", async () => {
    const [, listed] = await tell("ann", "See who is there");
    expect([json(listed), (await caret.getAgent("ann")).report?.text]).toEqual([
      { you: "ann", agents: [expect.objectContaining({ name: "bob", doing: "idle", createdBy: "human" })] },
      "I look around",
    ]);
  });

  it("send a message that starts the other's turn, whose answer comes back", async () => {
    const [sent] = await tell("ann", "please ping bob");
    await untilIdle("bob");
    await untilIdle("ann");
    const { message } = json(sent) as { readonly message: string };
    const answered = await caret.listMessages("ann", { limit: 1 });
    expect(answered).toEqual([
      expect.objectContaining({ from: "bob", to: "ann", text: "pong", replyTo: message, state: "started" }),
    ]);
  });

  it("are refused in words that say what to do, and the turn goes on", async () => {
    const [self] = await tell("ann", "write to yourself");
    const [nobody] = await tell("ann", "write to nobody");
    const [foreign] = await tell("bob", `await ${(await caret.listMessages("bob", { limit: 1 }))[0]?.id}`);
    expect([self, nobody, foreign].map((result) => [result?.status, result?.output])).toEqual([
      ["error", expect.stringContaining("A message to yourself")],
      ["error", expect.stringContaining("nobody")],
      ["error", expect.stringContaining("is not yours")],
    ]);
  });

  it("ask a person and wait for the answer", async () => {
    const { sessionId, lastSeq } = await caret.getAgent("bob");
    await caret.sendMessage("bob", { text: "ask a person" });
    const asked = async () =>
      (await caret.listMessages("human", { queued: true })).map(({ text, from: who }) => [text, who]);
    await expect.poll(asked).toEqual([["Which colour?", "bob"]]);
    const [question] = await caret.listMessages("human", { queued: true });
    await caret.sendMessage("bob", { text: "Blue", replyTo: question?.id ?? "" });
    await untilIdle("bob");
    const [answer] = await resultsAfter(sessionId, lastSeq);
    expect(json(answer)).toMatchObject({ from: "human", text: "Blue", reply_to: question?.id });
  });

  it("make another agent only when a person allows it, and not in the second generation", async () => {
    const { sessionId, lastSeq } = await caret.getAgent("ann");
    await caret.sendMessage("ann", { text: "spawn cid" });
    const waits = async () => (await caret.getAgent("ann")).doing;
    await expect.poll(waits).toMatchObject({ kind: "waiting", waitsFor: "approval" });
    const { events } = await caret.readLog(sessionId, { after: lastSeq });
    const request = events.flatMap(({ event }) => (event.type === "approval-request" ? [event.requestId] : [])).at(-1);
    await caret.answerApproval(sessionId, request ?? "", { decision: "approved" });
    await untilIdle("ann");
    await untilIdle("cid");
    const made = await caret.getAgent("cid");
    const child = await caret.getAgent("cid");
    await caret.sendMessage("cid", { text: "spawn dan" });
    await expect.poll(async () => (await caret.getAgent("cid")).doing.kind).toBe("waiting");
    const log = await caret.readLog(child.sessionId, { limit: 10_000 });
    const second = log.events
      .flatMap(({ event }) => (event.type === "approval-request" ? [event.requestId] : []))
      .at(-1);
    await caret.answerApproval(child.sessionId, second ?? "", { decision: "approved" });
    await untilIdle("cid");
    const [refused] = (await resultsAfter(child.sessionId, child.lastSeq)).slice(-1);
    expect([made.createdBy, made.permission, made.workspace, refused?.status, refused?.output]).toEqual([
      "ann",
      "auto-edits",
      gateway.home.workspace,
      "error",
      expect.stringContaining("cannot make agents"),
    ]);
  });
});

/** Each asks for one message between agents and its answer: three messages. */
const rounds = barSize({ quick: 12, full: 334 });

it.runIf(isFullRun())(
  `lose and double nothing in ${rounds * 3} messages, though two agents and the daemon are killed`,
  async () => {
    const names = Array.from({ length: 10 }, (_, index) => `agent-${index + 1}`);
    for (const name of names) await createAgent(name);
    const ids = Array.from({ length: rounds }, (_, index) => `round-${index}`);
    const other = (index: number): string => names[(index * 7 + 3 + Math.floor(index / 10)) % 10] ?? "";
    const receiver = (index: number): string => {
      const to = names[index % 10] ?? "";
      return to === other(index) ? (names[(index + 1) % 10] ?? "") : to;
    };
    const send = async (index: number): Promise<void> => {
      const text = `please ping ${other(index)}`;
      // A gateway that is killed under it is asked again: the same id is stored once.
      await caret.sendMessage(receiver(index), { id: ids[index] ?? "", text });
    };
    const third = Math.floor(rounds / 3);
    const killed = killSome(2);
    for (let index = 0; index < third; index += 1) await send(index);
    await killed;
    for (let index = third; index < 2 * third; index += 1) await send(index);
    await gateway.dieAndReturn();
    caret = gateway.client();
    for (let index = 2 * third; index < rounds; index += 1) await send(index);
    const busy = async () =>
      (await caret.listAgents()).filter(({ doing }) => doing.kind !== "idle").map(({ name }) => name);
    await expect.poll(busy, { timeout: 600_000 }).toEqual([]);

    const messages = (await Promise.all(names.map((name) => caret.listMessages(name, { limit: 1_000 })))).flat();
    const sentByAgents = messages.filter(({ from: who }) => who !== "human");
    const lost = ids.filter((id) => !messages.some((message) => message.id === id));
    const doubled = messages.filter(({ id }, index) => messages.findIndex((message) => message.id === id) !== index);
    const undelivered = messages.filter(({ state }) => state === "queued");
    const unlike = (await Promise.all(names.map(isDeliveredOnce))).filter((isSame) => !isSame);
    const claimed = (await Promise.all(names.map(claimsOf))).flat();
    const unkept = claimed.filter((id) => !messages.some((message) => message.id === id));
    expect({ lost, doubled, undelivered, unlike, unkept }).toEqual({
      lost: [],
      doubled: [],
      undelivered: [],
      unlike: [],
      unkept: [],
    });
    // Only turns that were killed may have kept their message to themselves: two agents', and what ran in the gateway.
    expect(sentByAgents.length).toBeGreaterThanOrEqual(2 * rounds - 2 * (2 + 10));
    expect(await gateway.stop()).toEqual([]);
  },
  900_000,
);

async function killSome(count: number): Promise<void> {
  await expect.poll(() => gateway.home.agents("node").length, { interval: 5 }).toBeGreaterThanOrEqual(1);
  for (const pid of gateway.home.agents("node").slice(0, count)) process.kill(pid, "SIGKILL");
}

/** Whether each message of an agent has begun one turn or was read in one, and no turn began without one. */
async function isDeliveredOnce(name: string): Promise<boolean> {
  const { sessionId } = await caret.getAgent(name);
  const { events } = await caret.readLog(sessionId, { limit: 10_000 });
  const begun = events.flatMap(({ turnId, event }) => (event.type === "turn-start" ? [turnId] : []));
  const messages = await caret.listMessages(name, { limit: 1_000 });
  const started = messages.flatMap(({ state, turnId }) => (state === "started" ? [turnId] : []));
  return JSON.stringify(begun.toSorted()) === JSON.stringify(started.toSorted());
}

/** The messages that an agent was told it had sent. */
async function claimsOf(name: string): Promise<readonly string[]> {
  const { sessionId } = await caret.getAgent(name);
  const results = await resultsAfter(sessionId, 0);
  return results.flatMap((result) =>
    result.status === "ok" ? [(json(result) as { message?: string }).message ?? ""] : [],
  );
}
