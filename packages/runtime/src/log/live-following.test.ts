import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSaidEvents } from "../turns/said-events.ts";
import { openTurnWriter } from "../turns/testing/open-turn-writer.ts";
import { completedEnd } from "../turns/testing/scripted-engine.ts";
import type { TurnWriter } from "../turns/turn-writer.ts";
import type { EventStore, StoredEvent } from "./event-store.ts";
import { pullEvents as followLog, follow as push } from "./follow.ts";
import { openSqliteEventStore } from "./sqlite/sqlite-event-store.ts";

let directory: string;
let store: EventStore;
let log: TurnWriter;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "caret-live-"));
  store = openSqliteEventStore({ directory, role: "gateway" });
  await store.createSession({ id: "s", workspace: "/w", createdAt: 1 });
  ({ log } = openTurnWriter(store));
});

afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

const unknown = (value: number): AgentEvent => ({ type: "unknown", source: "x", label: "n", value });
const append = async (...events: readonly AgentEvent[]): Promise<void> =>
  await log.append(events.map((event) => ({ event })));
const { signal } = new AbortController();
const follow = (from = 0) =>
  followLog({ store, sessionId: "s" }, { from, until: { endOf: "t" }, signal, live: log, restore: log.said.restore });
const values = (batches: readonly (readonly StoredEvent[])[]): readonly unknown[] =>
  batches.flat().map(({ event }) => (event.type === "unknown" ? event.value : event.type));

function said(events: readonly StoredEvent[]): { readonly text: string; readonly calls: readonly AgentEvent[] } {
  const told = events.map(({ event }) => event);
  return {
    text: told.map((event) => (event.type === "text-delta" ? event.text : "")).join(""),
    calls: told.filter(({ type }) => type === "tool-call"),
  };
}

async function collect(followed: AsyncIterable<readonly StoredEvent[]>): Promise<readonly unknown[]> {
  return values(await Array.fromAsync(followed));
}

describe("following a turn live", () => {
  it("tells an event before it is durable, as it will be in the log", async () => {
    const followed = follow();
    const next = followed.next();
    // The follower has looked into the log and found nothing.
    await store.read("s");
    let isDurable = false;
    const saved = Promise.withResolvers<void>();
    log.listen({
      onWritten: () => undefined,
      onMore: () => false,
      onDurable: () => {
        isDurable = true;
        saved.resolve();
      },
    });
    await append(unknown(1));
    const events = [{ sessionId: "s", seq: 1, turnId: "t", at: 7, event: unknown(1) }];
    expect({ batch: (await next).value, isDurable }).toEqual({ batch: events, isDurable: false });
    await saved.promise;
    expect(await store.read("s")).toEqual(events);
    await followed.return();
  });

  it("tells the end, and what others wait for, only when it is durable, and what comes after it not before", async () => {
    const heard: (readonly [unknown, boolean])[] = [];
    let areDurable = 0;
    log.listen({
      onWritten: (events) => heard.push(...events.map(({ event, seq }) => [event.type, seq <= areDurable] as const)),
      onMore: () => false,
      onDurable: () => {
        areDurable += 1;
      },
    });
    await Promise.all([
      append(unknown(1)),
      log.write([{ type: "todos", items: [], merge: false }]),
      append({ type: "plan", text: "Go on." }),
      append(completedEnd),
    ]);
    await store.read("s");
    expect(heard).toEqual([
      ["unknown", false],
      ["todos", true],
      ["plan", true],
      ["turn-end", true],
    ]);
  });

  it("gives a follower that comes late everything once and in order, though some of it is not durable yet", async () => {
    await log.write([unknown(1), unknown(2)]);
    void append(unknown(3));
    const first = collect(follow());
    void append(unknown(4));
    const second = collect(follow(1));
    void append(unknown(5));
    await log.write([completedEnd]);
    expect([await first, await second]).toEqual([
      [1, 2, 3, 4, 5, "turn-end"],
      [2, 3, 4, 5, "turn-end"],
    ]);
  });

  it("gives a follower that finds nothing in the log what is in no commit yet, without waiting for one", async () => {
    await log.write([unknown(1)]);
    await expect.poll(() => log.notifiedSeq).toBe(1);
    store.append = () => new Promise(() => undefined);
    void append(unknown(2));
    const followed = follow(1);
    expect(values([(await followed.next()).value ?? []])).toEqual([2]);
    await followed.return();
  });

  it("gives a follower that comes after the end everything as soon as it is durable", async () => {
    await log.write([unknown(1)]);
    void append(unknown(2));
    const ended = append(completedEnd);
    const followed = collect(follow());
    await ended;
    expect(await followed).toEqual([1, 2, "turn-end"]);
  });

  it("tells what was said to a live, a late and a slow follower alike, and keeps none of it", async () => {
    const token = `ghp_${"aB3dE5gH7jK9".repeat(3)}`;
    const call: AgentEvent = {
      type: "tool-call",
      callId: "c",
      name: "write",
      kind: "write",
      input: { path: "a", content: `password: "wrong-horse-1"` },
      owner: "client",
    };
    const says = (text: string): AgentEvent => ({ type: "text-delta", blockId: "b", text });
    const prompt = follow();
    const first = prompt.next();
    await store.read("s");
    const slow = follow();
    const behind = slow.next();
    void append({ type: "text-start", blockId: "b" }, says(`Use ${token.slice(0, 9)}`));
    void append(says(`${token.slice(9)} here`), { type: "text-end", blockId: "b" }, call);
    for (let value = 0; value < 500; value += 1) void append(unknown(value));
    await append(completedEnd);
    const late = follow();
    const heard = await Promise.all(
      [[first, prompt] as const, [behind, slow] as const, [undefined, late] as const].map(async ([begun, rest]) =>
        said([...((await begun)?.value ?? []), ...(await Array.fromAsync(rest)).flat()]),
      ),
    );
    const whole = { text: `Use ${token} here`, calls: [call] };
    const keptCall = { ...call, input: { path: "a", content: 'password: "[redacted]"' } };
    expect({ heard, kept: said(await store.read("s", { limit: 1_000 })) }).toEqual({
      heard: [whole, whole, whole],
      kept: { text: "Use [redacted] here", calls: [keptCall] },
    });
  });

  it("fails a follower that comes too late for what was too much to remember, and never gives it altered", async () => {
    const said = createSaidEvents(100);
    const kept: AgentEvent = { type: "text-delta", blockId: "b", text: "Use [redacted]" };
    const event: AgentEvent = { ...kept, text: `Use ${"x".repeat(200)}` };
    const stored = { sessionId: "s", turnId: "t", at: 7, seq: 1, event: kept };
    expect(said.shown(kept, event)).toBe(event);
    said.note(1, kept, event);
    expect(() => said.restore([stored])).toThrow("This answer holds too many secrets to be given a second time");
  });

  it("lets a reader that is too slow find the rest in the log, once and in order", async () => {
    const followed = follow();
    const next = followed.next();
    await store.read("s");
    void append(unknown(0));
    const first = await next;
    const sent = Array.from({ length: 1_000 }, (_, index) => index + 1);
    for (const value of sent) void append(unknown(value));
    void append(completedEnd);
    const rest = await collect(followed);
    expect([...values([first.value ?? []]), ...rest]).toEqual([0, ...sent, "turn-end"]);
  });

  const says = (text: string): AgentEvent => ({ type: "text-delta", blockId: "b", text });
  const textOf = (events: readonly StoredEvent[]): string => said(events).text;

  it("tells each delta at once, and keeps those that wait for one commit as one event", async () => {
    const followed = follow();
    const first = followed.next();
    await store.read("s");
    void append({ type: "text-start", blockId: "b" }, says("one "));
    const heard = [(await first).value];
    for (const text of ["two ", "three "]) {
      const next = followed.next();
      void append(says(text));
      heard.push((await next).value);
    }
    void append({ type: "text-end", blockId: "b" }, completedEnd);
    const rest = (await Array.fromAsync(followed)).flat();
    expect({
      heard: heard.map((events) => textOf(events ?? [])),
      rest: textOf(rest),
      kept: (await store.read("s")).map(({ seq, event }) => [seq, "text" in event ? event.text : event.type]),
    }).toEqual({
      heard: ["one ", "two ", "three "],
      rest: "",
      kept: [
        [1, "text-start"],
        [2, "one two three "],
        [3, "text-end"],
        [4, "turn-end"],
      ],
    });
  });

  it("tells a follower that begins after a text that still grows nothing more of it", async () => {
    void append({ type: "text-start", blockId: "b" }, says("One"));
    const heard: unknown[] = [];
    const options = { from: 2, until: { endOf: "t" }, signal, live: log, restore: log.said.restore } as const;
    const batches = (events: readonly StoredEvent[]): void => void heard.push(...events.map(({ event }) => event.type));
    const more = (): boolean => heard.push("more") > 0;
    const followed = push({ store, sessionId: "s" }, options, Object.assign(batches, { more }));
    const two = { type: "text-delta", blockId: "b", text: " two" } as const;
    if (!log.more(two)) void append(two);
    await append({ type: "text-end", blockId: "b" }, completedEnd);
    await followed;
    expect(heard).toEqual(["text-end", "turn-end"]);
  });

  it("fails a follower that throws at more of a text, and not the turn", async () => {
    const more = (): never => {
      throw new Error("The door is broken");
    };
    const options = { from: 0, until: { endOf: "t" }, signal, live: log, restore: log.said.restore } as const;
    const followed = push(
      { store, sessionId: "s" },
      options,
      Object.assign(() => undefined, { more }),
    );
    const failed = expect(followed).rejects.toThrow("The door is broken");
    void append({ type: "text-start", blockId: "b" }, says("One"));
    expect(log.more({ type: "text-delta", blockId: "b", text: " two" })).toBe(true);
    await failed;
    await append({ type: "text-end", blockId: "b" }, completedEnd);
    expect(textOf(await store.read("s"))).toBe("One two");
  });

  it("gives a follower that comes in the middle of a text what is in no commit yet, without waiting for one", async () => {
    await log.write([{ type: "text-start", blockId: "b" }]);
    void append(says("Begun "));
    void append(says("and going on"));
    const followed = follow();
    const batches = [(await followed.next()).value, (await followed.next()).value];
    expect({ heard: textOf(batches.flatMap((batch) => batch ?? [])), kept: textOf(await store.read("s")) }).toEqual({
      heard: "Begun and going on",
      kept: "",
    });
    await followed.return();
  });
});
