import { CaretError, HUMAN, permissionWords, sandboxWords } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anyone } from "../sessions/testing/session-bench.ts";
import { createAllRights, hasAll, leastOf } from "./agent-rights.ts";
import { type AgentBench, createAgentBench } from "./testing/agent-bench.ts";

let bench: AgentBench;
beforeEach(() => {
  bench = createAgentBench();
});
afterEach(() => bench.close());

const all = permissionWords.flatMap((permission) => sandboxWords.map((sandbox) => ({ permission, sandbox })));
const make = (name: string, permission: (typeof permissionWords)[number], createdBy?: string) =>
  bench.agents.create({ name, workspace: bench.workspace, permission }, anyone, createdBy);
/** How the agent's turns were started, in order. */
async function starts(name: string): Promise<readonly unknown[]> {
  const { sessionId } = await bench.agents.get(name, anyone);
  const events = await bench.store.read(sessionId);
  return events.flatMap(({ event }) =>
    event.type === "turn-start" ? [{ prompt: event.prompt, owner: event.owner }] : [],
  );
}

async function begun(count: number): Promise<void> {
  while (bench.asked.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("the rights of two agents", () => {
  it("are at most those of each, whichever is first", () => {
    for (const one of all)
      for (const other of all) {
        const least = leastOf(one, other);
        expect([hasAll(one, least), hasAll(other, least)]).toEqual([true, true]);
        expect(leastOf(other, one)).toEqual(least);
        expect(hasAll(one, other) ? least : other).toEqual(other);
      }
  });
});

describe("an agent with less", () => {
  it("begins a turn of one with more that has only what both have, and a person begins one that has all", async () => {
    await make("ada", "supervised");
    await make("bob", "full");
    await bench.agents.send("bob", { text: "from ada" }, anyone, "ada");
    await bench.idle("bob");
    await bench.agents.send("bob", { text: "from a person" }, anyone);
    await bench.idle("bob");
    expect(await starts("bob")).toEqual([
      { prompt: expect.stringContaining("from ada"), owner: "gateway" },
      { prompt: "from a person", owner: undefined },
    ]);
  });

  it("does not begin a turn of one with more where its sandbox cannot be had", async () => {
    await bench.agents.create({ name: "ada", workspace: bench.workspace, sandbox: "strict" }, anyone);
    await make("bob", "full");
    await bench.agents.send("bob", { text: "from ada" }, anyone, "ada");
    await bench.idle("bob");
    expect(await starts("bob")).toEqual([]);
    expect((await bench.agents.get("bob", anyone)).doing.kind).toBe("suspended");
  });

  it("is not heard by a turn of one with more: neither in its inbox nor as an answer", async () => {
    await make("ada", "supervised");
    await make("bob", "auto");
    await make("carl", "auto");
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.manner({ until: promise });
    await bench.agents.send("bob", { text: "work" }, anyone);
    await begun(1);
    await bench.agents.suspend("carl", {}, anyone);
    const question = await bench.agents.send("carl", { text: "well?" }, anyone, "bob");
    for (const from of ["ada", "carl"]) await bench.agents.send("bob", { text: `of ${from}` }, anyone, from);
    await bench.agents.send("bob", { text: "forged", replyTo: question.id }, anyone, "ada");
    const late = AbortSignal.timeout(100);
    await expect(bench.agents.waitForReply(question.id, { signal: late }, anyone)).rejects.toThrow();
    expect((await bench.agents.readInbox("bob", anyone)).map(({ text }) => text)).toEqual(["of carl"]);
    await bench.agents.send("bob", { text: "true", replyTo: question.id }, anyone, "carl");
    const signal = AbortSignal.timeout(10_000);
    expect((await bench.agents.waitForReply(question.id, { signal }, anyone)).text).toBe("true");
    resolve();
    await bench.idle("bob");
    expect((await bench.prompts("bob")).map((prompt) => prompt?.split("\n").at(-1))).toEqual([
      "work",
      "of ada",
      "forged",
    ]);
  });

  it("has no turn of another one send on what it may not send itself, nor make an agent that may", async () => {
    await make("ada", "supervised");
    await make("bob", "full");
    await make("carl", "full");
    const { promise, resolve } = Promise.withResolvers<void>();
    bench.manner({ until: promise });
    await bench.agents.send("bob", { text: "tell carl" }, anyone, "ada");
    await begun(1);
    const sent = await bench.agents
      .send("carl", { text: "told" }, anyone, "bob")
      .catch((reason) => CaretError.from(reason).code);
    const kid = await make("kid", "full", "bob");
    const rights = createAllRights({
      store: bench.store.agents,
      sessions: bench.sessions,
      engine: bench.engine,
    } as never);
    expect({ sent, kid: kid.permission, now: await rights.inTurn("bob"), ever: await rights.of("bob") }).toEqual({
      sent: "forbidden",
      kid: "supervised",
      now: { permission: "supervised", sandbox: "off" },
      ever: { permission: "full", sandbox: "off" },
    });
    expect((await bench.agents.send(HUMAN, { text: "may I?" }, anyone, "bob")).state).toBe("queued");
    resolve();
    await bench.idle("bob");
  });
});
