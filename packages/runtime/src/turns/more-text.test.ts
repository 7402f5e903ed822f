import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EventStore } from "../log/event-store.ts";
import type { LiveListener } from "../log/follow.ts";
import { openSqliteEventStore } from "../log/sqlite/sqlite-event-store.ts";
import { openTurnWriter } from "./testing/open-turn-writer.ts";
import { completedEnd } from "./testing/scripted-engine.ts";
import type { TurnWriter } from "./turn-writer.ts";

const secret = "lantern-moss-71";

let directory: string;
/** A store that delays commits that are not awaited. */
let store: EventStore;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-more-"));
  store = openSqliteEventStore({ directory, role: "gateway" });
});
afterEach(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

async function openLog(sessionId = "s"): Promise<TurnWriter> {
  await store.createSession({ id: sessionId, workspace: "/w", createdAt: 1 });
  return writerOf(store, sessionId);
}

function writerOf(into: Pick<EventStore, "append">, sessionId = "s"): TurnWriter {
  return openTurnWriter(into, { sessionId, known: [secret] }).log;
}

type TextDelta = AgentEventOf<"text-delta">;

const start: AgentEvent = { type: "text-start", blockId: "b" };
const end: AgentEvent = { type: "text-end", blockId: "b" };
const notice: AgentEvent = { type: "notice", kind: "retry", message: "Once more" };
const delta = (text: string, blockId = "b"): TextDelta => ({ type: "text-delta", blockId, text });
const say = (log: TurnWriter, ...events: readonly AgentEvent[]): unknown =>
  log.append(events.map((event) => ({ event })));
const finish = async (log: TurnWriter): Promise<void> => await log.append([{ event: end }, { event: completedEnd }]);

async function kept(sessionId = "s"): Promise<readonly AgentEvent[]> {
  return (await store.read(sessionId)).map(({ event }) => event);
}

function listener(heard: unknown[], takesMore = true): LiveListener {
  return {
    onWritten: (events) => void heard.push(...events.map(({ event }) => event)),
    onMore: (seq, offset, { text }) => takesMore && heard.push([seq, offset, text]) > 0,
    onDurable: () => undefined,
  };
}

describe("more of a text", () => {
  it("is heard at once, and kept in the event that it goes on from", async () => {
    const log = await openLog();
    const heard: unknown[] = [];
    log.listen(listener(heard));
    say(log, start, delta("One"));
    const taken = [log.more(delta(" two")), log.more(delta(" three"))];
    expect({ taken, heard }).toEqual({
      taken: [true, true],
      heard: [start, delta("One"), [2, 3, " two"], [2, 7, " three"]],
    });
    await finish(log);
    expect(await kept()).toEqual([start, delta("One two three"), end, completedEnd]);
  });

  it("is kept although nobody listens", async () => {
    const log = await openLog();
    say(log, start, delta("One"));
    expect(log.more(delta(" two"))).toBe(true);
    await finish(log);
    expect(await kept()).toEqual([start, delta("One two"), end, completedEnd]);
  });

  it.each<readonly [string, (log: TurnWriter) => unknown, TextDelta]>([
    ["before anything was said", () => undefined, delta(" two")],
    ["of another block", (log) => say(log, start, delta("One")), delta(" two", "c")],
    ["after another event", (log) => say(log, start, delta("One"), notice), delta(" two")],
    ["of what is committed", (log) => log.write([start, delta("One")]), delta(" two")],
    ["of what is sent later", (log) => [log.write([notice]), say(log, start, delta("One"))], delta(" two")],
    ["with a secret in it", (log) => say(log, start, delta("One")), delta(` ${secret} `)],
    ["with the end of a secret", (log) => say(log, start, delta(secret.slice(0, 9))), delta(secret.slice(9))],
    ["with the beginning of a secret", (log) => say(log, start, delta("One")), delta(` ${secret.slice(0, 9)}`)],
    ["after the turn's end", (log) => void say(log, start, delta("One"), end, completedEnd), delta(" two")],
    ["that fills a commit", (log) => say(log, start, delta("One")), delta("word ".repeat(14_000))],
    ["for two listeners", (log) => [log.listen(listener([])), say(log, start, delta("One"))], delta(" two")],
  ])("is refused %s, and nothing is heard of it", async (_when, before, refused) => {
    const log = await openLog();
    const heard: unknown[] = [];
    log.listen(listener(heard));
    const committed = before(log);
    if (committed instanceof Promise) await committed;
    const heardBefore = [...heard];
    expect({ isTaken: log.more(refused), heard }).toEqual({ isTaken: false, heard: heardBefore });
  });

  it("is refused by a listener that is not ready for it, and nothing is kept of it", async () => {
    const log = await openLog();
    log.listen(listener([], false));
    say(log, start, delta("One"));
    expect(log.more(delta(" two"))).toBe(false);
    await finish(log);
    expect(await kept()).toEqual([start, delta("One"), end, completedEnd]);
  });

  it("counts as on its way to the disk, so that a fast agent waits", () => {
    const log = writerOf({ append: () => new Promise(() => undefined) });
    const rounds = Array.from({ length: 5 }, () => {
      say(log, delta("One"));
      const isTaken = log.more(delta("word ".repeat(12_000)));
      return { isTaken, waits: say(log, delta("word ".repeat(2_000))) instanceof Promise };
    });
    const goesOn = { isTaken: true, waits: false };
    expect(rounds).toEqual([goesOn, goesOn, goesOn, goesOn, { isTaken: true, waits: true }]);
  });

  it("fails the turn like any batch once the log could not be written", async () => {
    const log = await openLog();
    say(log, start, delta("One"));
    await store.deleteSession("s");
    await expect(log.write([notice])).rejects.toThrow();
    expect(() => log.more(delta(" two"))).toThrow();
  });

  it("is redacted as the same text is that comes in batches", async () => {
    const pieces = [
      "My own",
      " dear",
      " Author",
      "ization: Basic dXNlcjpodW50ZXItMi1ibHVl\n and",
      " password:",
      " hunter-2-blue",
      "\nand ",
      secret.slice(0, 5),
      secret.slice(5),
      " or",
      " ghp",
      `_${"aB3dE5gH7jK9".repeat(3)}`,
      " so",
    ];
    const [short, long] = [await openLog("short"), await openLog("long")];
    for (const log of [short, long]) say(log, start);
    const taken = pieces.map((text) => {
      say(long, delta(text));
      const isTaken = short.more(delta(text));
      if (!isTaken) say(short, delta(text));
      return isTaken;
    });
    await Promise.all([finish(short), finish(long)]);
    const textOf = (events: readonly AgentEvent[]): string =>
      events.map((event) => (event.type === "text-delta" ? event.text : "")).join("");
    expect({ short: textOf(await kept("short")), isTaken: taken.includes(true) }).toEqual({
      short: "My own dear Authorization: Basic [redacted]\n and password: [redacted]\nand [redacted] or [redacted] so",
      isTaken: true,
    });
    expect(textOf(await kept("long"))).toBe(textOf(await kept("short")));
  });
});
