import { hash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { TokenEntry, TokenShelf } from "./token-shelf.ts";

const token = (name: string, more: Partial<TokenEntry> = {}): TokenEntry => ({
  name,
  sha256: hash("sha256", name),
  scopes: ["turns"],
  createdAt: 1,
  ...more,
});

/** Behaviour common to all token shelves. `open` returns an empty one and a second view of it. */
export function describeTokenShelf(
  what: string,
  open: () => Promise<{ readonly shelf: TokenShelf; readonly other: TokenShelf }>,
): void {
  describe(`tokens in ${what}`, () => {
    it("are read as they were kept, by whoever opens them", async () => {
      const { shelf, other } = await open();
      const whole = token("b", {
        cookieSha256: "c".repeat(64),
        scopes: ["turns", "sessions"],
        user: "anna",
        team: "web",
        seesAll: true,
        workspace: "/srv",
        madeBy: { name: "a", sha256: token("a").sha256 },
        createdAt: 2,
      });
      await shelf.add(token("a"));
      await shelf.add(whole);
      expect(await other.list()).toEqual([token("a"), whole]);
    });

    it("give a name to one at a time, and again once it was revoked", async () => {
      const { shelf, other } = await open();
      await shelf.add(token("a"));
      await expect(other.add(token("a", { createdAt: 2 }))).rejects.toMatchObject({ code: "invalid-request" });
      await other.revoke("a", 5);
      await other.add(token("a", { createdAt: 7 }));
      expect(await shelf.list()).toEqual([token("a", { createdAt: 7 })]);
    });

    it("are revoked once, and only if they are there", async () => {
      const { shelf, other } = await open();
      await shelf.add(token("a"));
      expect(await shelf.revoke("a", 5)).toEqual([token("a", { revokedAt: 5 })]);
      expect(await other.revoke("a", 9)).toEqual([token("a", { revokedAt: 5 })]);
      await expect(shelf.revoke("b", 5)).rejects.toMatchObject({ code: "not-found" });
    });

    it("go with the token that made them, and with the one that made that, whatever was revoked before", async () => {
      const { shelf, other } = await open();
      const made = (name: string, maker: string): TokenEntry =>
        token(name, { madeBy: { name: maker, sha256: token(maker).sha256 } });
      for (const entry of [token("a"), made("b", "a"), made("c", "b"), made("d", "c"), made("e", "a"), token("f")])
        await shelf.add(entry);
      await other.revoke("c", 4);
      const gone = await shelf.revoke("b", 5);
      await expect(other.add(made("g", "b"))).rejects.toMatchObject({ code: "unauthenticated" });
      expect([
        gone.map(({ name }) => name),
        (await other.list()).map(({ name, revokedAt }) => `${name} ${revokedAt ?? "works"}`).toSorted(),
      ]).toEqual([
        ["b", "c", "d"],
        ["a works", "b 5", "c 4", "d 4", "e works", "f works"],
      ]);
    });

    it("go with a token that is kept elsewhere", async () => {
      const { shelf, other } = await open();
      await shelf.add(token("a"));
      await shelf.add(token("b", { madeBy: { name: "far", sha256: "f".repeat(64) } }));
      expect(await other.revokeMadeBy(["f".repeat(64)], 5)).toMatchObject([{ name: "b", revokedAt: 5 }]);
      expect((await shelf.list()).map(({ revokedAt }) => revokedAt)).toEqual([undefined, 5]);
    });

    it("lose no change when many are made at once", async () => {
      const { shelf, other } = await open();
      const names = Array.from({ length: 20 }, (_, index) => `t${index}`);
      await Promise.all(names.map((name, index) => (index % 2 === 0 ? shelf : other).add(token(name))));
      await Promise.all(names.slice(10).map((name) => shelf.revoke(name, 3)));
      const all = await other.list();
      expect([all.length, all.filter(({ revokedAt }) => revokedAt === 3).length]).toEqual([20, 10]);
    });
  });
}
