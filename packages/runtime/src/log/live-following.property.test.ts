import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTick } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { barSize } from "../testing/bar-size.ts";
import { openTurnWriter } from "../turns/testing/open-turn-writer.ts";
import { completedEnd } from "../turns/testing/scripted-engine.ts";
import type { TurnWriter } from "../turns/turn-writer.ts";
import type { EventStore, StoredEvent } from "./event-store.ts";
import { pullEvents as follow, follow as push } from "./follow.ts";
import { openSqliteEventStore } from "./sqlite/sqlite-event-store.ts";

let directory: string;
let store: EventStore;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "caret-live-"));
  store = openSqliteEventStore({ directory, role: "gateway" });
});
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

/** What happens in a turn: the agent says something, then others do something, before it goes on. */
interface Step {
  readonly text: string;
  /** Something is written that a client waits for. */
  readonly commits: boolean;
  /** How often the reader asks for more. */
  readonly reads: number;
  readonly ticks: number;
}

const piece = fc.oneof(
  fc.constantFrom("ghp_aB3dE5gH7jK9aB3dE5gH7jK9aB3dE5gH7jK9", "password: ", "hunter-2-", " ", "\n"),
  fc.string({ maxLength: 12 }),
  fc.nat({ max: 40_000 }).map((length) => "x".repeat(length)),
);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({ text: piece, commits: fc.boolean(), reads: fc.nat({ max: 2 }), ticks: fc.nat({ max: 3 }) }),
  { minLength: 1, maxLength: 25 },
);

const says = (text: string) => ({ type: "text-delta", blockId: "b", text }) as const;
const { signal } = new AbortController();
let count = 0;

async function openTurn() {
  const sessionId = `s${count++}`;
  await store.createSession({ id: sessionId, workspace: "/w", createdAt: 1 });
  const { log: writer } = openTurnWriter(store, { sessionId });
  const read = () => {
    const live = { live: writer, restore: writer.said.restore };
    return follow({ store, sessionId }, { from: 0, until: { endOf: "t" }, signal, ...live });
  };
  return { writer, read, sessionId };
}

type Reader = AsyncGenerator<readonly StoredEvent[], void, undefined>;

/** As often as it is asked to, but only while there is something that it has not read. */
async function readSome(reader: Reader, writer: TurnWriter, times: number, heard: StoredEvent[]): Promise<void> {
  for (let index = 0; index < times && writer.writtenSeq > (heard.at(-1)?.seq ?? 0); index += 1)
    heard.push(...((await reader.next()).value ?? []));
}

async function play(writer: TurnWriter, { text, commits, ticks }: Step): Promise<void> {
  if (!writer.more(says(text))) void writer.append([{ event: says(text) }]);
  if (commits) await writer.write([{ type: "unknown", source: "x", label: "n", value: 0 }]);
  for (let tick = 0; tick < ticks; tick += 1) await nextTick();
}

function textOf(events: readonly StoredEvent[]): string {
  return events.map(({ event }) => (event.type === "text-delta" ? event.text : "")).join("");
}

it("tells an early, a late and a last follower the whole text once, however it is cut, redacted, committed and read", async () => {
  const property = fc.asyncProperty(steps, async (played) => {
    const { writer, read } = await openTurn();
    const early = read();
    const heard: StoredEvent[] = [];
    let late: Promise<readonly (readonly StoredEvent[])[]> | undefined;
    void writer.append([{ event: { type: "text-start", blockId: "b" } }]);
    for (const step of played) {
      await play(writer, step);
      await readSome(early, writer, step.reads, heard);
      late ??= Array.fromAsync(read());
    }
    await writer.append([{ event: { type: "text-end", blockId: "b" } }, { event: completedEnd }]);
    heard.push(...(await Array.fromAsync(early)).flat());
    const last = (await Array.fromAsync(read())).flat();
    const whole = played.map(({ text }) => text).join("");
    expect([heard, (await late)?.flat() ?? [], last].map(textOf)).toEqual([whole, whole, whole]);
  });
  await fc.assert(property, { numRuns: barSize({ quick: 12, full: 1_000 }) });
});

/** What a reader does with the next batch it gets. */
interface Mood {
  /** It takes more of a text without an event around it. */
  readonly takesMore: boolean;
  /** How long it is busy with a batch. */
  readonly ticks: number;
}

const moods: fc.Arbitrary<Mood[]> = fc.array(fc.record({ takesMore: fc.boolean(), ticks: fc.nat({ max: 2 }) }), {
  minLength: 1,
  maxLength: 25,
});

it("tells its only follower the whole text once, whether that takes more of a text or batches, and is busy or not", async () => {
  const taken = { more: 0, batches: 0 };
  const property = fc.asyncProperty(steps, moods, async (played, moody) => {
    const { writer, sessionId } = await openTurn();
    let heard = "";
    let count = 0;
    const mood = (): Mood => moody[count++ % moody.length] as Mood;
    let isBusy = false;
    const batches = (events: readonly StoredEvent[]): Promise<void> | void => {
      taken.batches += 1;
      heard += textOf(events);
      const { ticks } = mood();
      if (ticks === 0) return undefined;
      isBusy = true;
      return busy(ticks).then(() => {
        isBusy = false;
      });
    };
    const more = ({ text }: { readonly text: string }): boolean => {
      if (isBusy) heard += "[told while it is busy]";
      if (!mood().takesMore) return false;
      taken.more += 1;
      heard += text;
      return true;
    };
    const live = { live: writer, restore: writer.said.restore };
    const options = { from: 0, until: { endOf: "t" }, signal, ...live } as const;
    const followed = push({ store, sessionId }, options, Object.assign(batches, { more }));
    void writer.append([{ event: { type: "text-start", blockId: "b" } }]);
    for (const step of played) await play(writer, step);
    await writer.append([{ event: { type: "text-end", blockId: "b" } }, { event: completedEnd }]);
    await followed;
    expect(heard).toBe(played.map(({ text }) => text).join(""));
  });
  await fc.assert(property, { numRuns: barSize({ quick: 40, full: 2_000 }) });
  expect([taken.more > 0, taken.batches > 0]).toEqual([true, true]);
});

async function busy(ticks: number): Promise<void> {
  for (let tick = 0; tick < ticks; tick += 1) await nextTick();
}
