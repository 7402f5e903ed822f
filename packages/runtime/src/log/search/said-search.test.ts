import { expect, it } from "vitest";
import { catchUpSaid } from "./said-search.ts";

const sessions = ["a", "b", "c"].map((id) => ({ id, workspace: "/", saidSeq: 0 }));

it("indexes the sessions that an index gives together at once, so that they can share a transaction", async () => {
  const acts: string[] = [];
  await catchUpSaid(
    {},
    {
      behind: async (afterId) => sessions.filter(({ id }) => id > afterId).slice(0, 2),
      behindIn: async () => undefined,
      countBehind: async () => 0,
      read: async (sessionId, { afterSeq = 0 }) =>
        afterSeq > 0
          ? []
          : [{ sessionId, seq: 1, turnId: "t", at: 0, event: { type: "turn-start", turnId: "t", lane: "cli" } }],
      async insert({ id }) {
        acts.push(`${id} begins`);
        await new Promise((resolve) => setImmediate(resolve));
        acts.push(`${id} is committed`);
        return true;
      },
      find: async () => [],
    },
  );
  expect(acts).toEqual(["a begins", "b begins", "a is committed", "b is committed", "c begins", "c is committed"]);
});
