import { describe, expect, it } from "vitest";
import { createMemoryItemStore, type KeptResponse, outputText, type ResponseArchive } from "./item-store.ts";

function response(name: string, previousId?: string): KeptResponse {
  return {
    id: `resp_${name}`,
    previousId,
    system: [],
    messages: [{ role: "user", parts: [{ kind: "text", text: name }] }],
    output: [
      { id: `msg_${name}`, type: "message", status: "completed", role: "assistant", content: [outputText(name)] },
    ],
  };
}

describe("what was answered, kept in memory", () => {
  it("is found in the archive once memory does not hold it any more, or never did", async () => {
    const bodies = new Map<string, string>();
    const archive: ResponseArchive = {
      put: async (owner, { id, itemIds, sessionId, body }) => {
        for (const key of [id, ...itemIds]) bodies.set(`${owner} ${sessionId} ${key}`, body);
      },
      find: async (owner, by) => bodies.get(`${owner} session-1 ${"id" in by ? by.id : by.itemId}`),
    };
    const chain = [response("a"), response("b", "resp_a")];
    const before = createMemoryItemStore({ archive });
    for (const link of chain) await before.keep("me", link, "session-1");
    const after = createMemoryItemStore({ archive, maxResponses: 1 });
    const recalled = async (owner: string) => {
      const found = await after.recall(owner, { responseId: "resp_b", itemIds: ["msg_a"] });
      return [found.findChain(owner, "resp_b"), found.findItem(owner, "msg_a")];
    };
    expect([...(await recalled("me")), ...(await recalled("you"))]).toEqual([
      chain,
      chain[0]?.output[0],
      undefined,
      undefined,
    ]);
  });

  it("is found by its owner, and by nobody else", async () => {
    const store = createMemoryItemStore();
    const kept = response("a");
    await store.keep("me", kept, "session-1");
    expect([
      store.findItem("me", "msg_a"),
      store.findChain("me", "resp_a"),
      store.findItem("you", "msg_a"),
      store.findChain("you", "resp_a"),
    ]).toEqual([kept.output[0], [kept], undefined, undefined]);
  });

  it("gives a response with all it continued, oldest first", async () => {
    const store = createMemoryItemStore();
    const chain = [response("a"), response("b", "resp_a"), response("c", "resp_b")];
    for (const link of chain) await store.keep("me", link, "session-1");
    expect(store.findChain("me", "resp_c")).toEqual(chain);
  });

  it("gives nothing of a chain that has lost a link", async () => {
    const store = createMemoryItemStore({ maxResponses: 1 });
    await store.keep("me", response("a"), "session-1");
    await store.keep("me", response("b", "resp_a"), "session-1");
    expect(store.findChain("me", "resp_b")).toBeUndefined();
  });

  it("forgets what was not used for longest, items and all", async () => {
    const store = createMemoryItemStore({ maxResponses: 2 });
    for (const name of ["a", "b"]) await store.keep("me", response(name), "session-1");
    store.findItem("me", "msg_a");
    await store.keep("me", response("c"), "session-1");
    const found = ["a", "b", "c"].filter((name) => store.findItem("me", `msg_${name}`) !== undefined);
    expect([found, store.findChain("me", "resp_b")]).toEqual([["a", "c"], undefined]);
  });

  it("stays within its size, and does not keep what is larger than all of it", async () => {
    const size = JSON.stringify(response("a")).length;
    const store = createMemoryItemStore({ maxCharacters: size * 2 });
    for (const name of ["a", "b", "c", "d".repeat(size)]) await store.keep("me", response(name), "session-1");
    const found = ["a", "b", "c", "d".repeat(size)].map((name) => store.findItem("me", `msg_${name}`)?.id);
    expect(found).toEqual([undefined, "msg_b", "msg_c", undefined]);
  });
});
