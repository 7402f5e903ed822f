import { afterEach, expect, it } from "vitest";
import { eventually } from "../testing/eventually.ts";
import type { ConversationsOptions } from "./create-conversations.ts";
import type { LineageStore, SeenSession } from "./matching/lineage-store.ts";
import { createMemoryLineageStore } from "./matching/testing/memory-lineage-store.ts";
import { answer, type ConversationBench, createConversationBench, read, user } from "./testing/conversation-bench.ts";

let bench: ConversationBench;
afterEach(() => bench.close());

/** An index shared by several machines: it returns a session's state as of the read. */
function sharedLineage(seen: (sessionId: string) => Promise<SeenSession>): LineageStore {
  const memory = createMemoryLineageStore();
  return {
    ...memory,
    async look(asked) {
      const hashes = asked.chains().flat();
      const sessions = new Map<string, SeenSession>();
      for (const known of hashes.map(memory.get))
        if (known !== undefined) sessions.set(known.sessionId, await seen(known.sessionId));
      const get: typeof memory.get = (hash) => {
        const known = memory.get(hash);
        const session = known && sessions.get(known.sessionId);
        return known === undefined || session === undefined ? known : { ...known, session };
      };
      return { get, getScope: memory.getScope };
    },
  };
}

/** As a worker has taken it over: nothing moves here. */
const adoptions = (adopted: string[]): Pick<ConversationsOptions, "adopt"> => ({
  async adopt(sessionId) {
    adopted.push(sessionId);
    const session = await bench.store.getSession(sessionId);
    if (session === undefined) throw new Error("There is no such session");
    return session;
  },
});
const lastSeqOf = async (sessionId: string): Promise<number> => (await bench.store.getSession(sessionId))?.lastSeq ?? 0;

it("gives no client the end of an answer before another process would recognise its transcript", async () => {
  const memory = createMemoryLineageStore();
  const written = Promise.withResolvers<void>();
  const remember: LineageStore["remember"] = async (answered) => {
    await written.promise;
    await memory.remember(answered);
  };
  bench = createConversationBench({ lineage: { ...memory, remember } });
  const turn = await bench.open([user("A")]);
  const heard: string[] = [];
  const followed = turn.follow(
    (events) => void heard.push(...events.map(({ type }) => type)),
    new AbortController().signal,
  );
  await turn.outcome;
  await eventually(() => heard.includes("text-delta"), "the answer's words have come");
  expect(heard).not.toContain("turn-end");
  written.resolve();
  await followed;
  expect(heard.at(-1)).toBe("turn-end");
});

it("decides again about a session that another machine has gone on with since it was looked at", async () => {
  let looks = 0;
  const lineage = sharedLineage(async (sessionId) => {
    looks += 1;
    const lastSeq = await lastSeqOf(sessionId);
    return { lastSeq: looks === 1 ? lastSeq - 1 : lastSeq, isElsewhere: false };
  });
  const adopted: string[] = [];
  bench = createConversationBench({ lineage, ...adoptions(adopted) });
  const first = await bench.open([user("A")]);
  expect(await read(first)).toBe("answer 1");
  const second = await bench.open([user("A"), answer("answer 1"), user("B")]);
  const { sessionId, relation } = second;
  expect({ text: await read(second), sessionId, relation, looks, adopted }).toEqual({
    text: "answer 2",
    sessionId: first.sessionId,
    relation: "continuation",
    looks: 2,
    adopted: [],
  });
});

it("refuses a session that is written elsewhere all the time, instead of a second turn in it", async () => {
  const lineage = sharedLineage(async (sessionId) => ({
    lastSeq: (await lastSeqOf(sessionId)) - 1,
    isElsewhere: false,
  }));
  bench = createConversationBench({ lineage, ...adoptions([]) });
  await read(await bench.open([user("A")]));
  const asked = bench.open([user("A"), answer("answer 1"), user("B")]);
  await expect(asked).rejects.toMatchObject({ code: "session-busy" });
  expect(bench.asked).toHaveLength(1);
});

it("takes over a session that is at home on another machine, before it goes on", async () => {
  const adopted: string[] = [];
  const lineage = sharedLineage(async (sessionId) => ({
    lastSeq: await lastSeqOf(sessionId),
    isElsewhere: adopted.length === 0,
  }));
  bench = createConversationBench({ lineage, ...adoptions(adopted) });
  const { sessionId } = await bench.open([user("A")]).then(async (turn) => {
    await read(turn);
    return turn;
  });
  const messages = [user("A"), answer("answer 1"), user("B")];
  await read(await bench.open(messages));
  await read(await bench.open([...messages, answer("answer 2"), user("C")]));
  expect(adopted).toEqual([sessionId]);
});
