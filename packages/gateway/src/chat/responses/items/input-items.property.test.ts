import fc from "fast-check";
import { expect, it } from "vitest";
import type { KeptResponse } from "../item-store.ts";
import { itemsBefore, pageOf } from "./input-items.ts";

/** Few ids, so many repeat: clients choose their items' names and repeat what they were answered. */
const item = fc.record({
  id: fc.constantFrom("msg_1", "msg_1_2", "msg_1_2_2", "fc_1"),
  type: fc.constant("message"),
  text: fc.string({ maxLength: 4 }),
});

const chain = fc.array(
  fc.record({ input: fc.array(item, { maxLength: 6 }), output: fc.array(item, { maxLength: 3 }) }),
  {
    minLength: 1,
    maxLength: 4,
  },
) as unknown as fc.Arbitrary<readonly KeptResponse[]>;

const query = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  order: fc.constantFrom("asc" as const, "desc" as const),
});

it("shows each item once to a client that turns the pages, also where items have the same id", () => {
  fc.assert(
    fc.property(chain, query, (responses, { limit, order }) => {
      const items = itemsBefore(responses);
      const wanted = order === "asc" ? items : items.toReversed();
      const read: unknown[] = [];
      let after: string | undefined;
      for (let turned = 0; turned <= wanted.length; turned += 1) {
        const page = pageOf(items, { limit, order, after });
        read.push(...page.data);
        if (!page.has_more) break;
        after = page.last_id ?? undefined;
      }
      expect(read).toEqual(wanted);
    }),
    { numRuns: 300 },
  );
});

it("changes no id that an item has to itself", () => {
  fc.assert(
    fc.property(chain, (responses) => {
      const before = responses.flatMap(({ input = [], output }, index) => [
        ...input,
        ...(index === responses.length - 1 ? [] : output),
      ]);
      const ids = before.map(({ id }) => id);
      const alone = before.filter(({ id }) => ids.indexOf(id) === ids.lastIndexOf(id));
      const listed = itemsBefore(responses);
      expect(listed.map(({ id: _, ...item }) => item)).toEqual(before.map(({ id: _, ...item }) => item));
      expect(listed).toEqual(expect.arrayContaining(alone));
    }),
    { numRuns: 300 },
  );
});
