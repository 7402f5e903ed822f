import { CaretError } from "@caret/protocol";
import { expect, it } from "vitest";
import type { Reply } from "../wire/reply.ts";
import type { NativeInput } from "../wire/turn-input.ts";
import { type RunNativeTurnOptions, runNativeTurn } from "./run-native-turn.ts";

const asked: NativeInput = { door: "native", sessionId: "s1", wanted: { prompt: "Hi" }, caller: { tokenName: "me" } };
const away = new CaretError("storage-failed", "The database is away");
const LONG_MS = 60_000;

/** A turn that cannot begin; `recorded` are the outcomes of attempts to log it, in order. */
function unbegun(recorded: readonly (boolean | CaretError)[]) {
  const left = [...recorded];
  const replies: Reply[] = [];
  const errors: CaretError[] = [];
  const records: unknown[] = [];
  const options: RunNativeTurnOptions = {
    sessions: { beginTurn: () => Promise.reject(away) },
    answer: async (reply) => void replies.push(reply),
    async recordUnbegun(turnId, input, reason) {
      records.push([turnId, input, reason.code]);
      const next = left.shift() ?? away;
      if (CaretError.is(next)) throw next;
      return next;
    },
    onError: (error) => errors.push(error),
  };
  return { options, replies, errors, records };
}

it("a turn that could not begin while the database was away is over only when its end is in the log", async () => {
  const { options, replies, errors, records } = unbegun([away, false, true]);
  await runNativeTurn(options, { id: "t1", waitedMs: LONG_MS }, asked, new AbortController().signal);
  expect(replies).toEqual([{ error: away.toInfo() }]);
  expect(errors).toEqual([away]);
  expect(records).toEqual([
    ["t1", asked, "storage-failed"],
    ["t1", asked, "storage-failed"],
    ["t1", asked, "storage-failed"],
  ]);
});

it("a turn whose gateway still waits to hear why it did not begin is not written down", async () => {
  const { options, replies, records } = unbegun([]);
  await runNativeTurn(options, { id: "t1", waitedMs: 0 }, asked, new AbortController().signal);
  expect({ replies, records }).toEqual({ replies: [{ error: away.toInfo() }], records: [] });
});

it("a worker that has lost the key leaves the record of the turn to another one", async () => {
  const lost = new AbortController();
  const { options, errors } = unbegun([]);
  const onError = (error: CaretError): void => {
    errors.push(error);
    lost.abort("lost");
  };
  await runNativeTurn({ ...options, onError }, { id: "t1", waitedMs: LONG_MS }, asked, lost.signal);
  expect(errors).toEqual([away]);
});
