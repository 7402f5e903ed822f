import type { EventEnvelope, LogPage, LogQuery } from "@caret/protocol";
import { expect, it } from "vitest";
import { readWholeLog } from "./replay-screen.tsx";

function logOf(count: number): { readLog(id: string, query?: LogQuery): Promise<LogPage>; asked: number[] } {
  const asked: number[] = [];
  return {
    asked,
    async readLog(_id, { after = 0, limit = 500 } = {}) {
      asked.push(after);
      const length = Math.min(limit, count - after);
      const events = Array.from({ length }, (_, index) => ({ seq: after + index + 1 }) as EventEnvelope);
      return { events, lastSeq: count };
    },
  };
}

it("reads a long log page by page, each event once", async () => {
  const log = logOf(12_000);
  const events = await readWholeLog(log, "s", new AbortController().signal);
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 12_000 }, (_, index) => index + 1));
  expect(log.asked).toEqual([0, 5000, 10_000]);
});

it("ends with an empty log", async () => {
  expect(await readWholeLog(logOf(0), "s", new AbortController().signal)).toEqual([]);
});
