import type { AgentEvent } from "@caret/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CreateStore } from "../event-store.contract.ts";
import type { EventEntry, EventStore, NewSession } from "../event-store.ts";

const noon = Date.UTC(2026, 10, 15, 12);
const hour = 3_600_000;

const session = (id: string, more: Partial<NewSession> = {}): NewSession => ({
  id,
  workspace: `/projects/${id}`,
  createdAt: noon,
  ...more,
});
const entry = (event: AgentEvent, turnId = "t1"): EventEntry => ({ turnId, event });
const says = (text: string): EventEntry => entry({ type: "text-delta", blockId: "b1", text });
const ends = (turnId: string): EventEntry => entry({ type: "turn-end", outcome: { kind: "completed" } }, turnId);

/** The search contract of every event store. Called next to `describeEventStore`. */
export function describeSearch(name: string, createStore: CreateStore): void {
  describe(`${name} searches what was said`, () => {
    let store: EventStore;
    let dispose: (() => Promise<void>) | undefined;
    let clock: number;

    beforeEach(async () => {
      clock = noon;
      const options = { owner: "this process", rawMaxBytes: 64, onListenerError: () => undefined };
      const created = await createStore({ ...options, now: () => clock });
      store = created.store;
      dispose = created.dispose;
      await store.createSession(session("s1", { workspace: "/projects/one" }));
      await store.createSession(session("s2", { workspace: "/projects/one/deep" }));
    });

    afterEach(async () => {
      await store.close();
      await dispose?.();
    });

    const asks = (turnId: string, prompt: string): EventEntry =>
      entry({ type: "turn-start", turnId, lane: "cli", prompt }, turnId);
    const found = async (query: Parameters<EventStore["search"]>[0]): Promise<string[]> => {
      await store.catchUpSearch();
      return (await store.search(query)).places.map(({ sessionId, kind, seq }) => `${sessionId} ${kind} ${seq}`);
    };

    it("finds a word that two deltas share, and shows it where it stands", async () => {
      const block = { blockId: "b1" };
      await store.append("s1", 0, [
        asks("t1", "Why is it slow?"),
        entry({ type: "text-start", ...block }),
        says("The bottle"),
        says("neck is the disk."),
        entry({ type: "text-end", ...block }),
        ends("t1"),
      ]);
      await store.catchUpSearch();
      expect(await store.search({ text: "bottleneck" })).toEqual({
        places: [
          {
            sessionId: "s1",
            turnId: "t1",
            kind: "answer",
            seq: 3,
            at: noon,
            excerpt: { text: "The bottleneck is the disk.", marks: [[4, 14]] },
          },
        ],
        behind: 0,
      });
    });

    it("finds prompts, plans, questions, steering and calls, but not what tools put out", async () => {
      await store.append("s1", 0, [
        asks("t1", "zebra in a prompt"),
        entry({ type: "plan", text: "zebra in a plan" }),
        entry({ type: "question", requestId: "q1", title: "zebra?", questions: [] }),
        entry({ type: "notice", kind: "steer", message: "zebra, said later" }),
        entry({
          type: "tool-call",
          callId: "c1",
          name: "shell",
          kind: "shell",
          input: { command: "find zebra" },
          owner: "agent",
        }),
        entry({ type: "tool-output", callId: "c1", text: "zebra on the terminal" }),
        entry({ type: "tool-result", callId: "c1", status: "ok", output: "zebra on the terminal" }),
        ends("t1"),
      ]);
      const kinds = ["call 5", "steering 4", "question 3", "plan 2", "prompt 1"];
      expect(await found({ text: "zebra" })).toEqual(kinds.map((kind) => `s1 ${kind}`));
    });

    it("wants all words in one place, phrases in their order, and takes a beginning for a word", async () => {
      await store.append("s1", 0, [asks("t1", "Retry the flaky upload test"), ends("t1")]);
      expect(await found({ text: "UPLOAD retry" })).toEqual(["s1 prompt 1"]);
      expect(await found({ text: "uplo" })).toEqual(["s1 prompt 1"]);
      expect(await found({ text: "retry download" })).toEqual([]);
      expect(await found({ text: '"flaky upload"' })).toEqual(["s1 prompt 1"]);
      expect(await found({ text: '"upload flaky"' })).toEqual([]);
    });

    it("finds names of code, accents left out, and scripts without spaces", async () => {
      await store.append("s1", 0, [asks("t1", "Déjà vu: read_file_sync を検索する"), ends("t1")]);
      for (const text of ["deja", "read_file", "file_sync", "検索"])
        expect([text, await found({ text })]).toEqual([text, ["s1 prompt 1"]]);
      expect(await found({ text: "索検" })).toEqual([]);
    });

    it("narrows to a session or to a workspace and below, and to nothing that only sounds like it", async () => {
      await store.createSession(session("s3", { workspace: "/projects/one-more" }));
      for (const id of ["s1", "s2", "s3"]) {
        clock += hour;
        await store.append(id, 0, [asks("t1", "the same word"), ends("t1")]);
      }
      expect(await found({ text: "word" })).toEqual(["s3 prompt 1", "s2 prompt 1", "s1 prompt 1"]);
      expect(await found({ text: "word", sessionId: "s2" })).toEqual(["s2 prompt 1"]);
      expect(await found({ text: "word", workspace: "/projects/one" })).toEqual(["s2 prompt 1", "s1 prompt 1"]);
      expect(await found({ text: "word", workspace: "/projects/one/deep" })).toEqual(["s2 prompt 1"]);
    });

    it("gives the newest first, page by page", async () => {
      for (let turn = 1; turn <= 5; turn++) {
        clock += hour;
        await store.append("s1", turn * 2 - 2, [asks(`t${turn}`, `again ${turn}`), ends(`t${turn}`)]);
      }
      await store.catchUpSearch();
      const first = await store.search({ text: "again", limit: 3 });
      const rest = await store.search({ text: "again", limit: 3, before: first.next ?? 0 });
      expect([first.places.map(({ seq }) => seq), rest.places.map(({ seq }) => seq), rest.next]).toEqual([
        [9, 7, 5],
        [3, 1],
        undefined,
      ]);
    });

    it("finds nothing of a session that was deleted, or that nobody sees yet", async () => {
      await store.createSession(session("s3"), { staged: true });
      for (const id of ["s1", "s2", "s3"]) await store.append(id, 0, [asks("t1", "gone"), ends("t1")]);
      await store.catchUpSearch();
      await store.deleteSession("s1");
      await store.createSession(session("s1"));
      expect(await found({ text: "gone" })).toEqual(["s2 prompt 1"]);
      await store.publishSession("s3");
      expect(await found({ text: "gone", sessionId: "s3" })).toEqual(["s3 prompt 1"]);
    });

    it("finds what a running turn has said when its session is named, but no block that may still grow", async () => {
      await store.append("s1", 0, [asks("t1", "start"), entry({ type: "text-start", blockId: "b1" }), says("star")]);
      await store.catchUpSearch({ sessionId: "s1" });
      expect((await store.search({ text: "star", sessionId: "s1" })).places).toMatchObject([{ kind: "prompt" }]);
      await store.append("s1", 3, [says("fish"), entry({ type: "text-end", blockId: "b1" }), ends("t1")]);
      expect(await found({ text: "starfish" })).toEqual(["s1 answer 3"]);
    });

    it("finds what was said inside of a block once, whenever the index came by while the block was open", async () => {
      const steers = entry({ type: "notice", kind: "steer", message: "zebra, said meanwhile" });
      await store.append("s1", 0, [
        asks("t1", "start"),
        entry({ type: "text-start", blockId: "b1" }),
        says("One "),
        steers,
      ]);
      await store.catchUpSearch({ sessionId: "s1" });
      await store.append("s1", 4, [says("two"), entry({ type: "text-end", blockId: "b1" }), ends("t1")]);
      expect(await found({ text: "zebra" })).toEqual(["s1 steering 4"]);
    });

    it("finds what was said inside of a long block that is indexed a few events at a time", async () => {
      const steers = entry({ type: "notice", kind: "steer", message: "zebra, said meanwhile" });
      await store.append("s1", 0, [asks("t1", "start"), entry({ type: "text-start", blockId: "b1" })]);
      await store.catchUpSearch({ sessionId: "s1" });
      await store.append("s1", 2, [says("One "), steers, ...Array.from({ length: 40 }, () => says("more "))]);
      await store.append("s1", 44, [entry({ type: "text-end", blockId: "b1" }), ends("t1")]);
      expect(await found({ text: "zebra" })).toEqual(["s1 steering 4"]);
    });

    it("refuses a search without a word", async () => {
      await expect(store.search({ text: '"" -- *' })).rejects.toMatchObject({ code: "invalid-request" });
    });
  });
}
