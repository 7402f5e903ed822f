import { type AgentEvent, assertWellFormedTurn, Secret } from "@caret/protocol";
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createRedactor } from "../../redaction/redactor.ts";
import type { EventEntry, EventStore } from "../event-store.ts";
import { createMemoryEventStore } from "../testing/memory-event-store.ts";
import { exportSession } from "./export-session.ts";
import { importSession } from "./import-session.ts";

const redactor = createRedactor({ secrets: [new Secret("swordfish-1234")] });
const start: AgentEvent = { type: "turn-start", turnId: "t1", lane: "cli", model: "auto" };
const end: AgentEvent = { type: "turn-end", outcome: { kind: "completed" } };
const says = (text: string): AgentEvent => ({ type: "text-delta", blockId: "b1", text });
const turnOf = (...middle: AgentEvent[]): EventEntry[] =>
  [start, ...middle, end].map((event, index) => ({ turnId: "t1", at: 1_000 + index, event }));

let store: EventStore;

beforeEach(async () => {
  store = createMemoryEventStore();
  await store.createSession({ id: "s1", workspace: "/w", title: "One", lane: "cli", model: "auto", createdAt: 7 });
});

const file = async (): Promise<string> => {
  let text = "";
  for await (const line of exportSession(store, "s1", { redactor })) text += line;
  return text;
};
const importing = (chunks: readonly (string | Uint8Array)[], id = "s2", maxLineBytes?: number) =>
  importSession(store, streamOf(chunks), { id, redactor, ...(maxLineBytes === undefined ? {} : { maxLineBytes }) });
const contents = async (id: string) => (await store.read(id)).map(({ sessionId, ...rest }) => rest);

describe("An exported session", () => {
  it("is a header, one line per event, and an end that counts them", async () => {
    await store.append("s1", 0, [{ turnId: "t1", at: 5, event: says("hi"), raw: '{"a":1}' }]);
    expect(
      (await file())
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([
      {
        format: "caret-session",
        version: 1,
        session: { workspace: "/w", title: "One", lane: "cli", model: "auto", createdAt: 7 },
      },
      { seq: 1, turnId: "t1", at: 5, event: says("hi"), raw: '{"a":1}' },
      { end: true, events: 1 },
    ]);
  });

  it("is the same session when it is imported, under its new id", async () => {
    const odd = says('odd \u2028 \u0000 \ud800 "quotes" \n\r\n 😀');
    await store.append("s1", 0, [
      ...turnOf(says("a"), odd),
      { ...turnOf()[0], turnId: "t1", event: end, raw: "r\n", rawCut: true },
    ]);
    const imported = await importing([await file()]);
    expect(imported).toMatchObject({
      id: "s2",
      title: "One",
      workspace: "/w",
      createdAt: 7,
      imported: true,
      lastSeq: 5,
    });
    expect(await contents("s2")).toEqual(await contents("s1"));
  });

  it("survives any cut of the bytes on the way", async () => {
    await store.append("s1", 0, turnOf(says("ünïcödé ☃ 😀"), says("b")));
    const bytes = Buffer.from(await file());
    let round = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        const places = [0, ...cuts.sort((one, other) => one - other), bytes.length];
        const id = `cut-${round++}`;
        await importing(
          places.slice(1).map((to, index) => bytes.subarray(places[index], to)),
          id,
        );
        expect(await contents(id)).toEqual(await contents("s1"));
      }),
    );
  });

  it("carries thousands of events", async () => {
    await store.append("s1", 0, turnOf(...Array.from({ length: 1_500 }, (_, index) => says(`${index}`))));
    expect((await importing([await file()])).lastSeq).toBe(1_502);
  });

  it("is redacted, also of what became a secret after it was stored", async () => {
    await store.updateSession("s1", { title: "about swordfish-1234" });
    await store.append("s1", 0, [{ turnId: "t1", event: says("swordfish-1234"), raw: '"swordfish-1234"' }]);
    const text = await file();
    expect(text).not.toContain("swordfish");
    expect(text.match(/\[redacted\]/gu)).toHaveLength(3);
  });

  it("keeps an event this release does not know as an unknown one", async () => {
    await store.append("s1", 0, [{ turnId: "t1", event: says("a") }]);
    const future = (await file()).replace('"type":"text-delta"', '"type":"hologram"');
    await importing([future]);
    expect((await contents("s2")).map(({ event }) => event)).toMatchObject([{ type: "unknown", label: "hologram" }]);
  });

  it("ends a turn that was still running as interrupted", async () => {
    await store.append("s1", 0, turnOf({ type: "text-start", blockId: "b1" }, says("half")).slice(0, -1));
    await importing([await file()]);
    const events = (await contents("s2")).map(({ event }) => event);
    assertWellFormedTurn(events);
    expect(events.at(-1)).toMatchObject({ outcome: { error: { code: "interrupted" } } });
    expect((await store.runningTurns()).map(({ sessionId }) => sessionId)).toEqual(["s1"]);
  });

  it("cannot be made of a session that does not exist", async () => {
    await expect(exportSession(store, "nobody", { redactor }).next()).rejects.toMatchObject({
      code: "session-not-found",
    });
  });
});

describe("A file that is no whole session", () => {
  const lines = async (): Promise<string[]> => {
    await store.append("s1", 0, turnOf(says("a"), says("b")));
    return (await file()).trimEnd().split("\n");
  };

  it.each<[string, (lines: string[]) => string[], string]>([
    ["is empty", () => [], "the header cannot be read"],
    ["is something else", () => ["hello"], "the header cannot be read"],
    ["was cut short", (all) => all.slice(0, -1), "it ends after event 4 without saying so"],
    ["lacks an event", (all) => all.toSpliced(2, 1), "event 2 is missing"],
    ["lacks the last event", (all) => all.toSpliced(-2, 1), "it has 3 events and should have 4"],
    ["is garbled", (all) => all.with(2, '{"seq":'), "event 2 cannot be read"],
    [
      "began at no time",
      (all) => all.with(0, (all[0] ?? "").replace(/\d+\}\}$/, "9e15}}")),
      "the header cannot be read",
    ],
    ["has an event of no time", (all) => all.with(2, (all[2] ?? "").replace("1001", "9e15")), "event 2 cannot be read"],
    ["goes on after its end", (all) => [...all, "{}"], "there is something after the end"],
  ])("is refused when it %s, and leaves nothing behind", async (_, spoil, message) => {
    const spoilt = spoil(await lines()).map((line) => `${line}\n`);
    await expect(importing(spoilt)).rejects.toMatchObject({
      code: "invalid-request",
      message: `This is not a whole session file: ${message}`,
    });
    expect(await store.getSession("s2")).toBeUndefined();
  });

  it("is refused when a newer Caret wrote it", async () => {
    const newer = (await file()).replace('"version":1', '"version":2');
    await expect(importing([newer])).rejects.toMatchObject({ code: "invalid-request", fix: "Update Caret." });
  });

  it("is refused when a line has no end", async () => {
    await expect(importing(["x".repeat(50), "x".repeat(51)], "s2", 100)).rejects.toMatchObject({ code: "too-large" });
  });

  it("does not touch a session that has the id already", async () => {
    const text = await file();
    await expect(importing([text], "s1")).rejects.toMatchObject({ code: "invalid-request" });
    expect(await store.getSession("s1")).toMatchObject({ title: "One" });
  });
});

async function* streamOf<Chunk>(chunks: readonly Chunk[]): AsyncGenerator<Chunk> {
  yield* chunks;
}
