import { expect, it } from "vitest";
import { openHintListener } from "../seat/hint-listener.ts";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { openKnownTokens } from "./known-tokens.ts";
import { createPostgresTokens } from "./postgres-tokens.ts";

let database: TestDatabase;

shareTestDatabase((opened) => {
  database = opened;
});

it("lets a gateway know of tokens that are added and revoked elsewhere, by a hint and not by a poll", async () => {
  await database.empty();
  const tokens = createPostgresTokens(database);
  const fail = (error: Error): void => expect.unreachable(error.message);
  // Polls come too late for this test.
  const listener = openHintListener({ database, onError: fail, pollMs: 600_000 });
  const known = await openKnownTokens({ tokens, listener, onError: fail });
  const names = (): readonly string[] => known.current().map(({ name }) => name);
  try {
    expect(names()).toEqual([]);
    await tokens.add({ name: "a", sha256: "0".repeat(64), scopes: ["turns"], createdAt: 1 });
    await expect.poll(names, { timeout: 5_000 }).toEqual(["a"]);
    await tokens.revoke("a", 2);
    await expect.poll(names, { timeout: 5_000 }).toEqual([]);
  } finally {
    known.close();
    await listener.close();
  }
});

it("keeps when tokens were used last, at whichever gateway", async () => {
  await database.empty();
  const tokens = createPostgresTokens(database);
  await tokens.add({ name: "a", sha256: "0".repeat(64), scopes: ["turns"], createdAt: 1 });
  await tokens.noteUses(new Map([["a", 9]]));
  await tokens.noteUses(
    new Map([
      ["a", 7],
      ["gone", 8],
    ]),
  );
  expect(await tokens.readUses()).toEqual({ a: 9 });
});
