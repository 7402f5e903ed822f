import { type AgentEvent, Secret } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import type { EventStore } from "../log/event-store.ts";
import { createMemoryEventStore } from "../log/testing/memory-event-store.ts";
import { openTurnWriter } from "./testing/open-turn-writer.ts";
import type { TurnWriter } from "./turn-writer.ts";

const secret = "lantern-moss-71";

interface OpenedLog {
  readonly log: TurnWriter;
  readonly store: EventStore;
  /** Gives the redactor a further secret. */
  learn(value: string): void;
  stored(): Promise<readonly (readonly [AgentEvent, string | undefined])[]>;
}

async function openLog({ maxRawBytes = 1_000, known = [secret] } = {}): Promise<OpenedLog> {
  const store = createMemoryEventStore();
  await store.createSession({ id: "s", workspace: "/w", createdAt: 1 });
  const { log, keeper } = openTurnWriter(store, { maxRawBytes, known });
  return {
    log,
    store,
    learn: (value) => keeper.add([new Secret(value)]),
    stored: async () => (await store.read("s")).map(({ event, raw }) => [event, raw] as const),
  };
}

const start: AgentEvent = { type: "text-start", blockId: "b" };
const end: AgentEvent = { type: "text-end", blockId: "b" };
const delta = (text: string): AgentEvent => ({ type: "text-delta", blockId: "b", text });
const unknown = (value: unknown): AgentEvent => ({ type: "unknown", source: "x", label: "y", value });

describe("the log of a turn", () => {
  it("keeps the upstream line beside its event", async () => {
    const { log, stored } = await openLog();
    const first = unknown({ a: 1 });
    const second = unknown({ a: 2 });
    await log.append([
      { event: first, raw: '{"a":1}' },
      { event: second, raw: '{"a":2}' },
    ]);
    expect(await stored()).toEqual([
      [first, '{"a":1}'],
      [second, '{"a":2}'],
    ]);
  });

  it("keeps each line beside its own event when a neighbour was redacted", async () => {
    const { log, stored } = await openLog();
    const call = (callId: string, input: string): AgentEvent => ({
      type: "tool-call",
      callId,
      name: "shell",
      kind: "shell",
      input,
      owner: "agent",
    });
    const [one, two] = [call("1", "ls"), call("2", secret)];
    await log.append([
      { event: one, raw: "line one" },
      { event: two, raw: `line two ${secret}` },
    ]);
    expect(await stored()).toEqual([
      [one, "line one"],
      [call("2", "[redacted]"), "line two [redacted]"],
    ]);
  });

  it("keeps a line beside its own event, not beside another of the same type, when text was held back", async () => {
    const { log, stored } = await openLog();
    await log.append([{ event: start }, { event: delta("Is it lantern-"), raw: "first" }]);
    await log.append([
      { event: delta("light?") },
      { event: delta(" No."), raw: "joined" },
      { event: end, raw: "last" },
    ]);
    expect(await stored()).toEqual([
      [start, undefined],
      [delta("Is it "), undefined],
      [delta("lantern-light? No."), undefined],
      [end, "last"],
    ]);
  });

  it("keeps no line of a delta that has a part of a secret", async () => {
    const { log, stored } = await openLog();
    const prints = (text: string): AgentEvent => ({ type: "tool-output", callId: "c", text });
    const lineOf = (event: AgentEvent) => ({ event, raw: JSON.stringify(event) });
    await log.append([lineOf(start)]);
    for (const text of ["It is ", `a ${secret.slice(0, -1)}`, `${secret.slice(-1)}!`, " Bye"])
      for (const event of [delta(text), prints(text)]) await log.append([lineOf(event)]);
    await log.append([lineOf(end)]);
    const kept = await stored();
    expect(
      kept.flatMap(([event, raw]) => (raw === undefined ? [] : [[event.type, raw === JSON.stringify(event)]])),
    ).toEqual([
      ["text-start", true],
      ["text-delta", true],
      ["tool-output", true],
      ["text-delta", true],
      ["tool-output", true],
      ["text-end", true],
    ]);
    expect(JSON.stringify(kept)).not.toContain(secret.slice(0, 7));
  });

  it("keeps no line of such a delta beside the start of its block either", async () => {
    const { log, stored } = await openLog();
    await log.append([{ event: start, raw: `line ${secret.slice(0, 9)}` }, { event: delta(secret.slice(0, 9)) }]);
    await log.append([{ event: delta(`${secret.slice(9)}!`) }, { event: end, raw: "last" }]);
    expect(await stored()).toEqual([
      [start, undefined],
      [delta("[redacted]!"), undefined],
      [end, "last"],
    ]);
  });

  it("keeps the beginning of a long line, and says so", async () => {
    const { log, store } = await openLog({ maxRawBytes: 10 });
    const event = unknown(1);
    await log.append([{ event, raw: "0123456789abcdef" }]);
    expect((await store.read("s")).map(({ raw, rawCut }) => ({ raw, rawCut }))).toEqual([
      { raw: "0123456789", rawCut: true },
    ]);
  });

  it("does not keep half a secret where a line is cut", async () => {
    const { log, store } = await openLog({ maxRawBytes: 20 });
    const event = unknown(1);
    await log.append([{ event, raw: `the key is ${secret}` }]);
    expect((await store.read("s"))[0]?.raw).toBe("the key is [redacted");
  });

  it("does not keep half a secret that comes before the cut because others before it were redacted", async () => {
    const long = `lantern-${"moss-71-".repeat(8)}end`;
    const { log, store } = await openLog({ maxRawBytes: 3_000, known: [long] });
    await log.append([{ event: unknown(1), raw: `${long} `.repeat(500) }]);
    const [kept] = await store.read("s");
    expect(kept?.raw).toMatch(/^(?:\[redacted\] ){100,}$/);
  });

  it("redacts a secret that is cut between two writes", async () => {
    const { log, stored } = await openLog();
    await log.write([start, delta(`Key: ${secret.slice(0, 7)}`)]);
    await log.write([delta(`${secret.slice(7)}!`)]);
    await log.write([end]);
    const texts = (await stored()).flatMap(([event]) => (event.type === "text-delta" ? [event.text] : []));
    expect(texts.join("")).toBe("Key: [redacted]!");
  });

  it("loses nothing of a text block when it learns of another secret in the middle of it", async () => {
    const { log, stored, learn } = await openLog();
    await log.write([start, delta("Is it lantern-")]);
    learn("another-secret-9");
    await log.write([delta("light? another-secret-9."), end]);
    const texts = (await stored()).flatMap(([event]) => (event.type === "text-delta" ? [event.text] : []));
    expect(texts.join("")).toBe("Is it lantern-light? [redacted].");
  });

  it("appends in order without waiting for the write before", async () => {
    const { log, store } = await openLog();
    await Promise.all([log.write([unknown(1), unknown(2)]), log.write([unknown(3)]), log.write([unknown(4)])]);
    const stored = await store.read("s");
    expect(stored.map(({ seq, event }) => [seq, event])).toEqual([1, 2, 3, 4].map((value) => [value, unknown(value)]));
  });

  it("writes nothing when everything is held back", async () => {
    const { log, store } = await openLog();
    expect(await log.write([delta("lantern-")])).toEqual([]);
    expect(await store.read("s")).toEqual([]);
  });
});
