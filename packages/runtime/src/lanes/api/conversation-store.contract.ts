import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ConversationStore } from "./conversation-store.ts";

const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text));
const text = (data: Uint8Array | undefined): string | undefined => data && Buffer.from(data).toString();

/** The contract of every store of API conversations. `open` opens another one on the same data. */
export function describeConversationStore(
  name: string,
  open: () => ConversationStore,
  dispose: () => Promise<void>,
): void {
  describe(`the ${name} store of API conversations`, () => {
    let store: ConversationStore;
    beforeEach(() => {
      store = open();
    });
    afterEach(async () => {
      await store.close();
      await dispose();
    });

    it("keeps checkpoints and blobs of a conversation for other processes, under one key", async () => {
      const first = store.create("agent-1");
      first.saveBlob(bytes("id"), bytes("data"));
      first.saveCheckpoint(bytes("old state"));
      first.saveCheckpoint(bytes("state"));
      expect([text(first.checkpoint()), text(await first.blob(bytes("id")))]).toEqual(["state", "data"]);
      await first.settled?.();
      const other = open();
      const found = await other.open("agent-1");
      expect([text(found.checkpoint()), text(await found.blob(bytes("id"))), await other.has("agent-1")]).toEqual([
        "state",
        "data",
        true,
      ]);
      expect(found.encryptionKey.reveal()).toBe(first.encryptionKey.reveal());
      await other.close();
    });

    it("goes on with what was saved a moment ago", async () => {
      store.create("agent-1").saveCheckpoint(bytes("state"));
      expect([await store.has("agent-1"), text((await store.open("agent-1")).checkpoint())]).toEqual([true, "state"]);
    });

    it("lets no conversation see another's blobs", async () => {
      store.create("agent-1").saveBlob(bytes("id"), bytes("secret"));
      const other = store.create("agent-2");
      other.saveBlob(bytes("other"), bytes("x"));
      expect([await other.blob(bytes("id")), await (await store.open("agent-2")).blob(bytes("id"))]).toEqual([
        undefined,
        undefined,
      ]);
    });

    it("forgets a conversation with all that is its own", async () => {
      const conversation = store.create("agent-1");
      conversation.saveBlob(bytes("id"), bytes("data"));
      conversation.saveCheckpoint(bytes("state"));
      await store.remove("agent-1");
      expect([await store.has("agent-1"), await (await store.open("agent-1")).blob(bytes("id"))]).toEqual([
        false,
        undefined,
      ]);
    });

    it("writes nothing for a turn in which nothing was saved", async () => {
      expect([store.create("agent-1").checkpoint(), await store.has("agent-1")]).toEqual([undefined, false]);
    });
  });
}
