import { CaretError } from "@caret/protocol";
import { afterEach, describe, expect, it } from "vitest";
import { anyone } from "../sessions/testing/session-bench.ts";
import { type AgentBench, createAgentBench } from "./testing/agent-bench.ts";

let bench: AgentBench;
afterEach(() => bench.close());

/** A session whose first turn runs until released. */
async function busySession() {
  bench = createAgentBench();
  const { id } = await bench.sessions.create({ workspace: bench.workspace }, anyone);
  const { promise, resolve } = Promise.withResolvers<void>();
  bench.manner({ until: promise });
  const { turnId } = await bench.sessions.startTurn(id, { prompt: "First" }, anyone);
  return { id, turnId, letGo: resolve };
}

const prompts = async (id: string): Promise<readonly (string | undefined)[]> =>
  (await bench.store.read(id)).flatMap(({ event }) =>
    event.type === "turn-start" ? [[event.prompt, event.mode].filter(Boolean).join(" in mode ")] : [],
  );

const waiting = async (id: string): Promise<readonly string[]> =>
  (await bench.agents.queue(id, anyone)).prompts.map(({ text }) => text);

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "done",
    (reason: unknown) => CaretError.from(reason).code,
  );

describe("prompts that wait for a session", () => {
  it("start their turns by themselves, in the order in which they were queued, each in its mode", async () => {
    const { id, letGo } = await busySession();
    await bench.agents.queuePrompt(id, { prompt: "Second", mode: "plan" }, anyone);
    await bench.agents.queuePrompt(id, { prompt: "Third" }, anyone);
    expect([await waiting(id), (await bench.sessions.get(id, anyone)).queued?.count]).toEqual([["Second", "Third"], 2]);
    letGo();
    await expect.poll(() => prompts(id)).toEqual(["First", "Second in mode plan", "Third"]);
    expect([await waiting(id), (await bench.sessions.get(id, anyone)).queued]).toEqual([[], undefined]);
  });

  it("are refused when no turn could begin with them: nothing behind them is held up", async () => {
    const { id, letGo } = await busySession();
    const agent = await bench.agents.create({ name: "ada", workspace: bench.workspace }, anyone);
    const queued = await bench.agents.queuePrompt(id, { prompt: "Second" }, anyone);
    expect([
      await codeOf(bench.agents.queuePrompt(id, { prompt: "a\0b" }, anyone)),
      await codeOf(bench.agents.changeQueued(id, queued.id, { prompt: "a\0b" }, anyone)),
      await codeOf(bench.agents.send(agent.name, { text: "a\0b" }, anyone)),
    ]).toEqual(Array(3).fill("invalid-request"));
    letGo();
    await expect.poll(() => prompts(id)).toEqual(["First", "Second"]);
  });

  it("start when the log can be read again, though nothing else happens", async () => {
    bench = createAgentBench();
    const { id } = await bench.sessions.create({ workspace: bench.workspace }, anyone);
    const { agents } = bench.store;
    const read = agents.waiting.bind(agents);
    let failures = 1;
    // The disk fails once, at the look that the prompt itself causes.
    agents.waiting = async () => {
      if (failures-- > 0) throw new CaretError("storage-failed", "The disk failed under the event log");
      return await read();
    };
    await bench.agents.queuePrompt(id, { prompt: "First" }, anyone);
    await expect.poll(() => prompts(id)).toEqual(["First"]);
    expect(bench.errors.map(({ code }) => code)).toEqual(["storage-failed"]);
  });

  it("leave no secret behind when they are removed", async () => {
    const { id, letGo } = await busySession();
    await bench.agents.queuePrompt(id, { prompt: "Use sk-proj-AAAABBBBCCCCDDDDEEEEFFFF1234", id: "m" }, anyone);
    await bench.agents.removeQueued(id, "m", anyone);
    expect((await bench.store.agents.message("m"))?.text).toBe("Use [redacted]");
    letGo();
  });

  it("are stored once under an id, can be changed and removed while they wait, and not afterwards", async () => {
    const { id, letGo } = await busySession();
    const queue = (prompt: string) => bench.agents.queuePrompt(id, { prompt, id: prompt }, anyone);
    await queue("a");
    await queue("a");
    await queue("b");
    const before = (await bench.sessions.get(id, anyone)).queued?.at ?? 0;
    const changed = await bench.agents.changeQueued(id, "a", { prompt: "A", mode: "ask" }, anyone);
    expect([changed.text, changed.mode, (changed.at ?? 0) >= before]).toEqual(["A", "ask", true]);
    await bench.agents.removeQueued(id, "b", anyone);
    // Resent by a client that missed the answer.
    expect((await queue("a")).text).toBe("A");
    letGo();
    await expect.poll(() => prompts(id)).toEqual(["First", "A in mode ask"]);
    expect([
      await codeOf(bench.agents.changeQueued(id, "a", { prompt: "Too late" }, anyone)),
      await codeOf(bench.agents.removeQueued(id, "b", anyone)),
    ]).toEqual(["not-found", "not-found"]);
  });

  it("are held after a turn that was stopped, until one is started or another turn completes", async () => {
    const { id, turnId } = await busySession();
    await bench.agents.queuePrompt(id, { prompt: "Second" }, anyone);
    await bench.agents.queuePrompt(id, { prompt: "Third" }, anyone);
    await bench.sessions.cancelTurn(id, turnId, anyone);
    await bench.engine.runningTurn(id)?.settled;
    bench.manner("fail");
    await bench.agents.queuePrompt(id, { prompt: "Fourth" }, anyone);
    expect(await waiting(id)).toEqual(["Second", "Third", "Fourth"]);
    await bench.agents.startQueued(id, anyone);
    await bench.engine.runningTurn(id)?.settled;
    // That one failed: the rest is held again.
    expect([await waiting(id), await prompts(id)]).toEqual([
      ["Third", "Fourth"],
      ["First", "Second"],
    ]);
    bench.manner("answer");
    await bench.turn(id, "By hand");
    await expect.poll(() => prompts(id)).toEqual(["First", "Second", "By hand", "Third", "Fourth"]);
  });

  it("are messages to the agent where the session is an agent's", async () => {
    bench = createAgentBench();
    const { sessionId } = await bench.add("ada");
    await bench.agents.suspend("ada", {}, anyone);
    await bench.agents.queuePrompt(sessionId, { prompt: "Hello" }, anyone);
    expect((await bench.agents.messages("ada", { queued: true }, anyone)).map(({ text }) => text)).toEqual(["Hello"]);
    await bench.agents.resume("ada", anyone);
    await bench.idle("ada");
    expect(await prompts(sessionId)).toEqual(["Hello"]);
  });

  it("do not exist for a caller of another workspace, and are gone with their session", async () => {
    const { id, turnId } = await busySession();
    await bench.agents.queuePrompt(id, { prompt: "Second", id: "m" }, anyone);
    const bound = { tokenName: "t", workspace: bench.other };
    expect([
      await codeOf(bench.agents.queue(id, bound)),
      await codeOf(bench.agents.queuePrompt(id, { prompt: "x" }, bound)),
      await codeOf(bench.agents.removeQueued(id, "m", bound)),
      await codeOf(bench.agents.startQueued(id, bound)),
    ]).toEqual(["session-not-found", "session-not-found", "session-not-found", "session-not-found"]);
    await bench.sessions.cancelTurn(id, turnId, anyone);
    await bench.engine.runningTurn(id)?.settled;
    await bench.sessions.delete(id, anyone);
    expect(await bench.store.agents.message("m")).toBeUndefined();
  });

  it("wait for a person where no turn can start, and say why", async () => {
    bench = createAgentBench();
    const { id } = await bench.sessions.create({ workspace: bench.workspace, model: "auto" }, anyone);
    await bench.store.updateSession(id, { lane: "cli" });
    await bench.agents.queuePrompt(id, { prompt: "Go" }, anyone);
    await expect.poll(async () => (await bench.agents.queue(id, anyone)).problem).toBe("The lane cli is not set up");
    expect(await codeOf(bench.agents.startQueued(id, anyone))).toBe("unsupported");
    await bench.store.updateSession(id, { lane: "sim" });
    await bench.agents.startQueued(id, anyone);
    expect(await prompts(id)).toEqual(["Go"]);
  });
});
