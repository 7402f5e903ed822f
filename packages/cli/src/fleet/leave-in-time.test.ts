import { PassThrough } from "node:stream";
import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import { closed } from "../terminal/interruption.ts";
import { leaveInTime } from "./leave-in-time.ts";

/** A database that never answers, for the shutdown that waits for it. */
const never = new Promise<void>(() => undefined);

async function close(closing: Promise<void>, stderr = new PassThrough()) {
  const exits: number[] = [];
  const code = await closed({ stderr, command: "caret" }, closing, (exit) => void exits.push(exit));
  return { code, exits, said: stderr.read()?.toString() ?? "" };
}

it.each([
  ["worker", "how its last turns ended, and that this worker has left"],
  ["gateway", "that this gateway has left"],
] as const)(
  "a %s that the database does not let leave says what is not written, and exits with 1",
  async (role, unwritten) => {
    expect(await close(leaveInTime(role, never, 20))).toEqual({
      code: 1,
      exits: [1],
      said:
        `caret: The fleet's database did not answer within 0.02 s of the shutdown. Not written: ${unwritten} [storage-failed]\n` +
        "  Nothing is left to do here: leases and names in the database run out by themselves within seconds, and other workers record the turns as interrupted.\n",
    });
  },
);

it("one that leaves in time ends by itself", async () => {
  expect(await close(leaveInTime("worker", Promise.resolve(), 60_000))).toEqual({ code: 0, exits: [], said: "" });
});

it("one that cannot leave for another reason says so, and exits as well", async () => {
  const refused = Promise.reject(new CaretError("storage-full", "The database's disk is full", { fix: "Make room." }));
  expect(await close(leaveInTime("worker", refused, 60_000))).toEqual({
    code: 1,
    exits: [1],
    said: "caret: The database's disk is full [storage-full]\n  Make room.\n",
  });
});

it("a reader of standard error that does not read keeps no process", async () => {
  const full = new PassThrough({ highWaterMark: 1 });
  full.write("unread");
  expect(await close(leaveInTime("worker", never, 20), full)).toMatchObject({ code: 1, exits: [1] });
});
