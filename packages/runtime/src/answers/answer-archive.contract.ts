import { describe, expect, it } from "vitest";
import type { AnswerArchive } from "./answer-archive.ts";

export const DAY_MS = 24 * 60 * 60 * 1000;

export const answer = (name: string, sessionId = "s1") => ({
  id: name,
  itemIds: [`item-${name}`],
  sessionId,
  body: name,
});

/** Opens an archive over the same answers each time, until the test ends. */
export type OpenArchive = (now?: () => number) => Promise<AnswerArchive>;

/** The contract of every archive of answers. */
export function describeAnswerArchive(what: string, open: OpenArchive): void {
  describe(`answers in ${what}`, () => {
    it("are found again by their owner, also by an item, and by nobody else", async () => {
      const before = await open();
      await before.put("me", answer("a"));
      const after = await open();
      expect([
        await after.find("me", { id: "a" }),
        await after.find("me", { itemId: "item-a" }),
        await after.find("me", { id: "item-a" }),
        await after.find("you", { id: "a" }),
        await after.find("you", { itemId: "item-a" }),
      ]).toEqual(["a", "a", undefined, undefined, undefined]);
    });

    it("are as they were kept last", async () => {
      const archive = await open();
      await archive.put("me", answer("a"));
      await archive.put("me", { ...answer("a"), body: "b" });
      expect(await archive.find("me", { id: "a" })).toBe("b");
    });

    it("are gone with their session, items and all", async () => {
      const kept = await open();
      await kept.put("me", answer("a", "s1"));
      await kept.put("me", answer("b", "s2"));
      await (await open()).removeSession("s1");
      const found = ["a", "b"].map(async (id) => [
        await kept.find("me", { id }),
        await kept.find("me", { itemId: `item-${id}` }),
      ]);
      expect(await Promise.all(found)).toEqual([
        [undefined, undefined],
        ["b", "b"],
      ]);
    });

    it("are kept for a month", async () => {
      const archive = await open(() => 0);
      await archive.put("me", answer("a"));
      const found = [30, 31].map(async (days) => (await open(() => days * DAY_MS)).find("me", { id: "a" }));
      expect([await found[0], await found[1]]).toEqual(["a", undefined]);
    });
  });
}
