import { Secret } from "@caret/protocol";
import { answer } from "@caret/runtime/answers/answer-archive.contract.ts";
import { expect, it } from "vitest";
import { shareTestDatabase } from "../testing/share-test-database.ts";
import type { TestDatabase } from "../testing/test-database.ts";
import { createSealer } from "../wire/sealer.ts";
import { createPostgresAnswerArchive } from "./postgres-answer-archive.ts";

const sealer = createSealer(new Secret("the key of a fleet in a test, long enough"));
let database: TestDatabase;

shareTestDatabase((opened) => {
  database = opened;
});

it("keeps no plain text of an answer in the database", async () => {
  await createPostgresAnswerArchive({ database, sealer }).put("me", { ...answer("a"), body: "the word pear" });
  const { rows } = await database.query("select encode(body, 'escape') as body from kept_answers");
  expect(rows.map((row) => String(row["body"]).includes("pear"))).toEqual([false]);
});
