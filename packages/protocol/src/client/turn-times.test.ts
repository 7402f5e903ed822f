import { expect, it } from "vitest";
import type { TranscriptItem } from "../transcript/transcript.ts";
import { turnTimes } from "./turn-times.ts";

const asked = (at: number, answeredAt?: number): TranscriptItem => ({
  kind: "approval",
  seq: at,
  at,
  request: { type: "approval-request", requestId: String(at), subject: "exec", input: {} },
  ...(answeredAt === undefined ? {} : { answeredAt }),
});

it("counts no wait for a person as work, and waits at the same time once", () => {
  const turn = { startedAt: 1_000, lastAt: 140_000 };
  expect([
    turnTimes({ ...turn, items: [] }),
    turnTimes({ ...turn, items: [asked(2_000, 136_000)] }),
    turnTimes({ ...turn, items: [asked(2_000, 100_000), asked(3_000, 136_000)] }),
    turnTimes({ ...turn, items: [asked(2_000)] }),
  ]).toEqual([
    { workedMs: 139_000, waitedMs: 0 },
    { workedMs: 5_000, waitedMs: 134_000 },
    { workedMs: 5_000, waitedMs: 134_000 },
    { workedMs: 1_000, waitedMs: 138_000 },
  ]);
});
