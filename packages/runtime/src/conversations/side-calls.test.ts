import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ConversationRequest } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { answer, type ConversationBench, createConversationBench, read, user } from "./testing/conversation-bench.ts";

let bench: ConversationBench;
beforeEach(() => {
  bench = createConversationBench();
});
afterEach(() => bench.close());

const tools = [{ name: "read", inputSchema: {} }];
const toolless = { owner: undefined, tools: [] };
const TEN_MINUTES = 10 * 60_000;

/** What the agent of the newest turn may do, and where. */
function hands() {
  const { mode, workspace = "", offered } = bench.asked.at(-1) ?? {};
  const place = bench.scratch.holds(workspace) ? "an empty directory" : workspace;
  return { mode, place, tools: offered?.tools.length ?? 0 };
}
const none = { mode: "ask", place: "an empty directory", tools: 0 };

async function settle(): Promise<void> {
  await Promise.all(bench.engine.runningTurns().map(({ settled }) => settled));
}

/** Later, when another request comes, are these sessions still there? */
async function leftAfter(ms: number, ...ids: readonly string[]): Promise<readonly boolean[]> {
  await settle();
  bench.clock.now += ms;
  await read(await bench.open([user("Something else")], { sessionKey: "another" }));
  await settle();
  return await Promise.all(ids.map(async (id) => (await bench.store.getSession(id)) !== undefined));
}

describe("a request without tools of a client that has shown some", () => {
  it.each<[string, Partial<ConversationRequest>]>([
    ["a page to sum up", { system: "Sum it up." }],
    ["a title", { system: "Write a 5-10 word title for it." }],
    ["the conversation's own instructions", {}],
    ["a request for the agent's tools", { owner: "agent" }],
    ["a request for the gateway's tools", { owner: "gateway" }],
  ])("gets an agent that only reads, in an empty directory: %s", async (_, more) => {
    await read(await bench.open([user("A")], { owner: undefined, tools }));
    const side = await bench.open([user("Create b.txt")], { ...toolless, ...more });
    await read(side);
    expect({ relation: side.relation, ...hands() }).toEqual({ relation: "side-call", ...none });
  });

  it("gets no more with its second question, and its log stays", async () => {
    await read(await bench.open([user("A")], { owner: undefined, tools }));
    const title = { ...toolless, system: "You are a title generator." };
    const first = await bench.open([user("X")], title);
    const said = await read(first);
    const second = await bench.open([user("X"), answer(said), user("Y")], title);
    await read(second);
    expect({ relation: second.relation, session: second.sessionId, prompt: bench.asked.at(-1)?.prompt }).toEqual({
      relation: "continuation",
      session: first.sessionId,
      prompt: "Y",
    });
    expect({ ...hands(), left: await leftAfter(TEN_MINUTES + 1, first.sessionId) }).toEqual({ ...none, left: [true] });
  });

  it("leaves no agent behind that waits for a next turn, which the conversation does", async () => {
    await read(await bench.open([user("A")], { owner: undefined, tools }));
    await read(await bench.open([user("Create b.txt")], toolless));
    expect(bench.asked.map(({ isAside }) => isAside)).toEqual([undefined, true]);
  });

  it("leaves the conversation as it was", async () => {
    const first = await bench.open([user("A")], { owner: undefined, tools });
    await read(first);
    await read(await bench.open([user("Create b.txt")], toolless));
    const next = await bench.open([user("A"), answer("a"), user("B")], { owner: undefined, tools });
    await read(next);
    expect({ session: next.sessionId, prompt: bench.asked.at(-1)?.prompt }).toEqual({
      session: first.sessionId,
      prompt: "B",
    });
  });
});

describe("a side call", () => {
  it("of a coding client gets no hands even before the conversation, with a name or without", async () => {
    for (const sessionKey of ["key", undefined]) {
      await read(await bench.open([user("Fix the bug")], { ...toolless, codingClient: "Droid", sessionKey }));
      expect({ sessionKey, ...hands() }).toEqual({ sessionKey, ...none });
    }
  });

  it("works in a place of its own with its instructions, and leaves nothing behind", async () => {
    const talk = await bench.open([user("A")]);
    const title = { system: "You are a title generator.", tools: [] };
    const side = await bench.open([user("Generate a title for this conversation:"), user("A")], title);
    await Promise.all([read(talk), read(side)]);
    const place = bench.asked[1]?.workspace ?? "";
    expect({ relation: side.relation, ...hands() }).toEqual({ relation: "side-call", ...none });
    expect(readFileSync(join(place, ".cursor/rules/caret.mdc"), "utf8")).toContain("You are a title generator.");
    await settle();
    bench.clock.now += TEN_MINUTES + 1;
    await read(await bench.open([user("X")], { sessionKey: "other" }));
    await vi.waitFor(async () => expect(await bench.store.getSession(side.sessionId)).toBeUndefined());
    expect({ isPlaceThere: existsSync(place), session: (await bench.store.getSession(talk.sessionId))?.id }).toEqual({
      isPlaceThere: false,
      session: talk.sessionId,
    });
  });

  it("that may have been the conversation itself keeps its log", async () => {
    const title = { system: "You are a title generator.", tools: [] };
    const alone = await bench.open([user("My holidays")], { ...title, sessionKey: "alone" });
    await read(alone);
    expect(await leftAfter(TEN_MINUTES + 1, alone.sessionId)).toEqual([true]);
  });

  it("is no question that sounds like one: it works in the workspace, goes on, and its log stays", async () => {
    for (const sessionKey of ["key", undefined]) {
      const chat = { ...toolless, system: "You write a title for every answer.", sessionKey };
      const first = await bench.open([user("Summarize the thread in thread.txt")], chat);
      await read(first);
      const next = [user("Summarize the thread in thread.txt"), answer("a"), user("Write notes.txt")];
      const second = await bench.open(next, chat);
      await read(second);
      const seen = { ...hands(), session: second.sessionId };
      expect(seen).toEqual({ mode: "agent", place: bench.workspace, tools: 0, session: first.sessionId });
      expect(await leftAfter(TEN_MINUTES + 1, first.sessionId)).toEqual([true]);
    }
  });
});
