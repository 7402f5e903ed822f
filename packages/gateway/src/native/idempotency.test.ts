import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { type Attempt, createIdempotency } from "./idempotency.ts";

const DAY_MS = 24 * 3_600_000;

function counter() {
  let count = 0;
  return {
    perform: async (): Promise<unknown> => {
      count += 1;
      return { count };
    },
    get count() {
      return count;
    },
  };
}

const attempt = (perform: Attempt["perform"], given: Partial<Attempt> = {}): Attempt => ({
  key: "k1",
  scope: "boss POST /a",
  digest: "d1",
  perform,
  recall: undefined,
  ...given,
});

it("performs a command once and gives both requests the same answer", async () => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  const work = counter();
  const first = await once(attempt(work.perform));
  const second = await once(attempt(work.perform));
  expect([first, second, work.count]).toEqual([
    { answer: { count: 1 }, isReplayed: false },
    { answer: { count: 1 }, isReplayed: true },
    1,
  ]);
});

it("gives a retry the answer of the command that is still running", async () => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const both = [once(attempt(() => promise)), once(attempt(() => Promise.reject(new Error("done twice"))))];
  resolve("done");
  expect((await Promise.all(both)).map(({ answer }) => answer)).toEqual(["done", "done"]);
});

it.each<[string, Partial<Attempt>]>([
  ["without a key", { key: undefined }],
  ["of another token, method or path", { scope: "boss POST /b" }],
  ["with another key", { key: "k2" }],
])("performs a command again %s", async (_name, given) => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  const work = counter();
  await once(attempt(work.perform));
  await once(attempt(work.perform, given));
  expect(work.count).toBe(2);
});

it("rejects a used key with another body, whether the first command succeeded or failed", async () => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  const refused = { statusCode: 422, message: "idempotency-key: was used before, with another body." };
  await once(attempt(counter().perform));
  await expect(once(attempt(counter().perform, { digest: "d2" }))).rejects.toMatchObject(refused);
  const wrong = async () => Promise.reject(new CaretError("invalid-request", "No"));
  await expect(once(attempt(wrong, { key: "k2" }))).rejects.toThrow("No");
  await expect(once(attempt(counter().perform, { key: "k2", digest: "d2" }))).rejects.toMatchObject(refused);
});

it.each([
  ["remembers a failure that a retry would repeat", "not-found", 1],
  ["forgets a retryable failure", "session-busy", 2],
  ["forgets an internal error", "internal", 2],
] as const)("%s", async (_name, code, times) => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  let count = 0;
  const fail = async (): Promise<unknown> => {
    count += 1;
    throw new CaretError(code, "No");
  };
  await expect(once(attempt(fail))).rejects.toThrow("No");
  await expect(once(attempt(fail))).rejects.toThrow("No");
  expect(count).toBe(times);
});

it("forgets after a day, and the oldest first when there are too many", async () => {
  let now = 0;
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => now });
  const work = counter();
  await once(attempt(work.perform));
  now = DAY_MS;
  await once(attempt(work.perform));
  for (let index = 0; index < 1000; index += 1) await once(attempt(work.perform, { key: `other-${index}` }));
  await once(attempt(work.perform, { key: "other-999" }));
  expect(work.count).toBe(1002);
  await once(attempt(work.perform));
  expect(work.count).toBe(1003);
});
