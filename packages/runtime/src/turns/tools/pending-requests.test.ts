import type { AgentEvent, AgentEventOf } from "@caret/protocol";
import { describe, expect, it } from "vitest";
import { createPendingRequests } from "./pending-requests.ts";

type Request = AgentEventOf<"approval-request">;
type Answer = AgentEventOf<"approval-answer">;

const request: Request = { type: "approval-request", requestId: "r1", subject: "exec", input: {} };
const answer: Answer = { type: "approval-answer", requestId: "r1", decision: "approved", by: "person" };
const never = new AbortController().signal;

/** A room whose log writes on command. */
function openRoom() {
  const writes: (PromiseWithResolvers<void> & { readonly events: readonly AgentEvent[] })[] = [];
  let changes = 0;
  const room = createPendingRequests<Request, Answer>({
    write(events) {
      const writing = { ...Promise.withResolvers<void>(), events };
      writes.push(writing);
      return writing.promise;
    },
    limitMs: 60_000,
    now: () => 1,
    lapse: ({ requestId }, reason) => ({
      type: "approval-answer",
      requestId,
      decision: "rejected",
      by: "policy",
      reason,
    }),
    onChange: () => {
      changes += 1;
    },
  });
  return { room, writes, changes: () => changes };
}

describe("an answer", () => {
  it("is acted on only when it is in the log", async () => {
    const { room, writes } = openRoom();
    let isDone = false;
    const waiting = room.wait(request, never).finally(() => {
      isDone = true;
    });
    writes[0]?.resolve();
    expect({ isTaken: room.answer("r1", answer), isSecondTaken: room.answer("r1", answer), open: room.open() }).toEqual(
      { isTaken: true, isSecondTaken: false, open: [] },
    );
    await new Promise(setImmediate);
    expect({ isDone, written: writes.map(({ events }) => events) }).toEqual({
      isDone: false,
      written: [[request], [answer]],
    });
    writes[1]?.resolve();
    expect(await waiting).toEqual(answer);
  });

  it("is to the request that was shown under its id: another one under the same id is rejected unasked", async () => {
    const { room, writes } = openRoom();
    const shown = room.wait(request, never);
    writes[0]?.resolve();
    expect(await room.wait({ ...request, input: { command: "rm -r src" } }, never)).toMatchObject({
      decision: "rejected",
      reason: "Another request waits under its id",
    });
    expect(room.find("r1")).toBe(request);
    room.answer("r1", answer);
    writes[1]?.resolve();
    expect(await shown).toEqual(answer);
  });

  it("that cannot be written is none", async () => {
    const { room, writes } = openRoom();
    const waiting = room.wait(request, never);
    writes[0]?.resolve();
    room.answer("r1", answer);
    writes[1]?.reject(new Error("disk full"));
    await expect(waiting).rejects.toThrow("disk full");
  });
});

describe("a request", () => {
  it("that cannot be written does not wait", async () => {
    const { room, writes } = openRoom();
    const waiting = room.wait(request, never);
    writes[0]?.reject(new Error("disk full"));
    await expect(waiting).rejects.toThrow("disk full");
    expect({ open: room.open(), isTaken: room.answer("r1", answer), end: room.end() }).toEqual({
      open: [],
      isTaken: false,
      end: [],
    });
  });

  it("that is open at the end of the turn is answered there, and later ones are not asked", async () => {
    const { room, writes, changes } = openRoom();
    const waiting = room.wait(request, never);
    writes[0]?.resolve();
    await new Promise(setImmediate);
    const left = room.end();
    expect([left, await waiting, changes()]).toEqual([[lapsed], lapsed, 2]);
    expect([await room.wait({ ...request, requestId: "r2" }, never), writes.length]).toEqual([
      { ...lapsed, requestId: "r2" },
      1,
    ]);
  });
});

const lapsed: Answer = {
  type: "approval-answer",
  requestId: "r1",
  decision: "rejected",
  by: "policy",
  reason: "The turn ended before anybody answered",
};
