import type { ClientConnection, ConversationRequest } from "@caret/protocol";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type ConversationBench,
  called,
  callIdsIn,
  createConversationBench,
  defaultCaller,
  eventsOf,
  read,
  result,
  user,
} from "./testing/conversation-bench.ts";

let bench: ConversationBench;
afterEach(() => bench.close());

const tools = [{ name: "read", inputSchema: { type: "object" } }];
const named = { owner: undefined, tools };
const clients = [
  ["that names its conversation", named],
  ["without a name", { ...named, sessionKey: undefined }],
] as const;
const connection: ClientConnection = { remoteAddress: "127.0.0.1", remotePort: 1, localPort: 2 };
const here = { ...defaultCaller, connection };

async function results(sessionId: string): Promise<readonly string[]> {
  const log = await bench.store.read(sessionId, { afterSeq: 0, limit: 1_000 });
  return log.flatMap(({ event }) => (event.type === "tool-result" ? [event.output] : []));
}

async function firstCall(client: Partial<ConversationRequest>, caller = defaultCaller) {
  const turn = await bench.open([user("A")], client, caller);
  const ids = callIdsIn(await eventsOf(turn));
  return { turn, ids };
}

describe.each(clients)("a client %s", (_kind, client) => {
  it("that never comes back with a result has its turn cancelled, and no agent works on alone", async () => {
    bench = createConversationBench({}, { parkedLimitMs: 500 });
    bench.manner({ calls: [["a"], ["b"], ["c"]] });
    const { turn } = await firstCall(client);
    expect({ outcome: await turn.outcome, results: await results(turn.sessionId) }).toEqual({
      outcome: { kind: "cancelled" },
      results: ["The client gave no result within 500 ms."],
    });
  });

  it("that comes back too late is answered by a new agent, which is sent the results", async () => {
    bench = createConversationBench({}, { parkedLimitMs: 500 });
    bench.manner({ calls: [["a"]] });
    const { turn, ids } = await firstCall(client);
    await turn.outcome;
    bench.manner("answer");
    const late = await bench.open([user("A"), called(...ids), ...ids.map((id) => result(id, "R"))], client);
    expect({ text: await read(late), session: late.sessionId, prompt: bench.asked.at(-1)?.prompt }).toEqual({
      text: "answer 2",
      session: turn.sessionId,
      prompt: expect.stringContaining(`TOOL_RESULT (name: read, call_id: ${ids[0]})\nR`),
    });
  });

  it("that comes back too late with an image is said to have lost it", async () => {
    bench = createConversationBench({}, { parkedLimitMs: 500 });
    bench.manner({ calls: [["a"]] });
    const { turn, ids } = await firstCall(client);
    await turn.outcome;
    bench.manner("answer");
    const image = { kind: "image", mediaType: "image/png", data: "AAAA" } as const;
    const shown = { role: "tool", callId: ids[0] ?? "", parts: [image], isError: false } as const;
    const late = await bench.open([user("A"), called(...ids), shown], client);
    const notices = (await eventsOf(late)).flatMap((event) => (event.type === "notice" ? [event.message] : []));
    expect(notices).toContain(
      "An image in a tool's result was not passed on: the new agent was sent the results as text.",
    );
  });

  it("whose process is gone has its turn cancelled by a shorter clock", async () => {
    let isAlive = true;
    bench = createConversationBench(
      { findClient: async () => ({ isAlive: () => isAlive }), goneMs: 30 },
      { parkedLimitMs: 60_000 },
    );
    bench.manner({ calls: [["a"]] });
    const { turn } = await firstCall(client, here);
    isAlive = false;
    const startedAt = Date.now();
    const moving = setInterval(() => {
      bench.clock.now += Date.now() - startedAt;
    }, 5);
    expect(await turn.outcome).toEqual({ kind: "cancelled" });
    clearInterval(moving);
  });

  it("whose process ran the calls has its turn cancelled as soon as that is gone", async () => {
    let checks = 0;
    const findClient = async () => ({
      isAlive() {
        checks += 1;
        return checks < 3;
      },
    });
    bench = createConversationBench({ findClient, goneMs: 5 }, { parkedLimitMs: 60_000 });
    bench.manner({ calls: [["a"]] });
    const { turn } = await firstCall(client, here);
    // The bench's clock stands still: no time passes between the end of the process and that of the turn.
    expect(await turn.outcome).toEqual({ kind: "cancelled" });
    expect(checks).toBe(3);
  });

  it("whose process lives is waited for by the longer clock", async () => {
    let checks = 0;
    const findClient = async () => ({
      isAlive() {
        checks += 1;
        return true;
      },
    });
    bench = createConversationBench({ findClient, goneMs: 1 }, { parkedLimitMs: 60_000 });
    bench.manner({ calls: [["a"]] });
    const { ids } = await firstCall(client, here);
    await vi.waitFor(() => expect(checks).toBeGreaterThan(5));
    bench.clock.now += 60_000;
    const end = await bench.open([user("A"), called(...ids), ...ids.map((id) => result(id, "R"))], client, here);
    expect({ text: await read(end), agents: bench.asked.length }).toEqual({ text: "a=R", agents: 1 });
  });

  it("that sends each request by a process of its own may come back within the shorter clock", async () => {
    let checks = 0;
    const findClient = async () => ({
      isAlive() {
        checks += 1;
        return false;
      },
    });
    bench = createConversationBench({ findClient, goneMs: 5 }, { parkedLimitMs: 60_000 });
    bench.manner({ calls: [["a"], ["b"]] });
    const { turn, ids } = await firstCall(client, here);
    // The bench's clock stands still, so that the shorter one does not run out.
    await vi.waitFor(() => expect(checks).toBeGreaterThan(2));
    const next = await bench.open([user("A"), called(...ids), ...ids.map((id) => result(id, "R"))], client, here);
    expect({ calls: callIdsIn(await eventsOf(next)).length, turn: next.turnId }).toEqual({
      calls: 1,
      turn: turn.turnId,
    });
  });
});
