import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { type Answer, type Attempt, createIdempotency } from "./idempotency.ts";

const DAY_MS = 24 * 3_600_000;

function counter() {
  let count = 0;
  return {
    perform: async (): Promise<Answer> => {
      count += 1;
      return { status: 201, body: count };
    },
    get count() {
      return count;
    },
  };
}

const attempt = (perform: Attempt["perform"], given: Partial<Attempt> = {}): Attempt => ({
  key: "k1",
  place: "boss POST /a",
  digest: "d1",
  perform,
  ...given,
});

it("does a command once and answers it twice alike", async () => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  const work = counter();
  const first = await once(attempt(work.perform));
  const second = await once(attempt(work.perform));
  expect([first, second, work.count]).toEqual([
    { answer: { status: 201, body: 1 }, isReplayed: false },
    { answer: { status: 201, body: 1 }, isReplayed: true },
    1,
  ]);
});

it("joins a command that is under way", async () => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  const { promise, resolve } = Promise.withResolvers<Answer>();
  const both = [once(attempt(() => promise)), once(attempt(() => Promise.reject(new Error("done twice"))))];
  resolve({ status: 204 });
  expect((await Promise.all(both)).map(({ answer }) => answer)).toEqual([{ status: 204 }, { status: 204 }]);
});

it.each<[string, Partial<Attempt>]>([
  ["without a key", { key: undefined }],
  ["of another token, method or path", { place: "boss POST /b" }],
  ["with another key", { key: "k2" }],
])("does a command anew %s", async (_name, given) => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  const work = counter();
  await once(attempt(work.perform));
  await once(attempt(work.perform, given));
  expect(work.count).toBe(2);
});

it("refuses a known key with another body, whether the first went well or not", async () => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  const refused = { statusCode: 422, message: "idempotency-key: was used before, with another body." };
  await once(attempt(counter().perform));
  await expect(once(attempt(counter().perform, { digest: "d2" }))).rejects.toMatchObject(refused);
  const wrong = async () => Promise.reject(new CaretError("invalid-request", "No"));
  await expect(once(attempt(wrong, { key: "k2" }))).rejects.toThrow("No");
  await expect(once(attempt(counter().perform, { key: "k2", digest: "d2" }))).rejects.toMatchObject(refused);
});

it.each([
  ["remembers a failure that would repeat itself", "not-found", 1],
  ["forgets a failure that may pass", "session-busy", 2],
  ["forgets a failure of our own", "internal", 2],
] as const)("%s", async (_name, code, times) => {
  const { once } = createIdempotency({ findCommand: async () => undefined, now: () => 0 });
  let count = 0;
  const fail = async (): Promise<Answer> => {
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
