import { describe, expect, it } from "vitest";
import { createCallLog } from "./call-log.ts";
import { createCallQueue, createParkedCalls, type ParkedCalls } from "./parked-calls.ts";

const never = new AbortController().signal;
const ok = { text: "ok", isError: false };

function createLot() {
  const logged: string[] = [];
  let count = 0;
  const calls = createCallLog({
    write: async (events) =>
      void logged.push(...events.map((event) => `${event.type} ${"callId" in event ? event.callId : ""}`)),
    newCallId: () => {
      count += 1;
      return `call${count}`;
    },
    mentionMs: 0,
  });
  const parked = createParkedCalls({ calls, limitMs: 60_000 });
  const queue = createCallQueue(parked.park);
  queue.setParallel(false);
  return { parked, queue, logged };
}

const openNames = (parked: ParkedCalls) => parked.open().map(({ name }) => name);

describe("calls of a client that takes one at a time", () => {
  it("are handed out one after another, in their order, although the agent makes them at once", async () => {
    const { parked, queue, logged } = createLot();
    const results = ["a", "b", "c"].map((name) => queue.call({ name, input: {} }, never));
    const seen: string[] = [];
    for (const name of ["a", "b", "c"]) {
      await expect.poll(() => openNames(parked)).toEqual([name]);
      seen.push(...openNames(parked));
      parked.answer(parked.open()[0]?.callId ?? "", ok);
    }
    expect({ seen, results: await Promise.all(results), logged }).toEqual({
      seen: ["a", "b", "c"],
      results: [ok, ok, ok],
      logged: [
        "tool-call call1",
        "tool-result call1",
        "tool-call call2",
        "tool-result call2",
        "tool-call call3",
        "tool-result call3",
      ],
    });
  });

  it("go out together as soon as the client takes several", async () => {
    const { parked, queue } = createLot();
    for (const name of ["a", "b"]) void queue.call({ name, input: {} }, never);
    await expect.poll(() => openNames(parked)).toEqual(["a"]);
    queue.setParallel(true);
    await expect.poll(() => openNames(parked)).toEqual(["a", "b"]);
  });

  it("end with the turn, and with the client's leaving", async () => {
    const [over, dismissed] = [createLot(), createLot()];
    const results = [over, dismissed].flatMap(({ queue }) =>
      ["a", "b"].map((name) => queue.call({ name, input: {} }, never)),
    );
    for (const { parked } of [over, dismissed]) await expect.poll(() => openNames(parked)).toEqual(["a"]);
    over.parked.end();
    dismissed.parked.dismissAll("No more.");
    const [ended, refused] = ["The turn is over.", "No more."].map((text) => ({ text, isError: true }));
    expect(await Promise.all(results)).toEqual([ended, ended, refused, refused]);
  });
});
