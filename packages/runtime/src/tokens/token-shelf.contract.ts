import { describe, expect, it } from "vitest";
import type { TokenEntry, TokenShelf } from "./token-shelf.ts";

const token = (name: string, more: Partial<TokenEntry> = {}): TokenEntry => ({
  name,
  sha256: name.padEnd(64, "0"),
  scopes: ["turns"],
  createdAt: 1,
  ...more,
});

/** What every shelf of tokens does the same. `open` gives an empty one, and another view of the same. */
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
      expect(await shelf.revoke("a", 5)).toEqual(token("a", { revokedAt: 5 }));
      expect(await other.revoke("a", 9)).toEqual(token("a", { revokedAt: 5 }));
      await expect(shelf.revoke("b", 5)).rejects.toMatchObject({ code: "not-found" });
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
