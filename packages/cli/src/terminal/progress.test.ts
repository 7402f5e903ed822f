import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withProgress } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function shownDuring(ms: number, isTTY: boolean): Promise<string> {
  const stderr = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY });
  const working = withProgress({ stderr }, "Asking the agent", () => new Promise<void>((done) => setTimeout(done, ms)));
  await vi.advanceTimersByTimeAsync(ms);
  await working;
  return String(stderr.read() ?? "");
}

it("says what takes longer than a second, counts, and takes its line away", async () => {
  expect(await shownDuring(2_500, true)).toBe("\r\x1b[2KAsking the agent (1s)\r\x1b[2KAsking the agent (2s)\r\x1b[2K");
});

it("says nothing of what is quick, and nothing in a pipe", async () => {
  expect([await shownDuring(900, true), await shownDuring(5_000, false)]).toEqual(["", ""]);
});
