import { describe, expect, it } from "vitest";
import { createDecoder } from "../decoder.ts";
import * as lines from "../testing/stream-json-lines.ts";

const PIECE = 64 * 1024;
const LONG = 5 * 1024 * 1024;

/** The events of a turn with one call, read in pieces as they come from a pipe. */
function decode(call: object, shortensLongLines: boolean) {
  const decoder = createDecoder({ dialect: "stream-json", partial: true, shortensLongLines });
  const stream = [lines.init, lines.started("c1", call), lines.completed("c1", call), lines.result("")];
  const bytes = Buffer.from(stream.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const events = [];
  for (let start = 0; start < bytes.byteLength; start += PIECE)
    events.push(...decoder.push(bytes.subarray(start, start + PIECE)));
  return [...events, ...decoder.finish({ kind: "end-of-stream" })].map(({ event }) => event);
}

const resultOf = (events: ReturnType<typeof decode>) => events.find(({ type }) => type === "tool-result");

const printed = {
  shellToolCall: {
    args: { command: "seq" },
    result: { success: { command: "seq", exitCode: 3, stdout: 'a "line"\n'.repeat(LONG / 9), stderr: "" } },
  },
};
const written = {
  editToolCall: {
    args: { path: "/w/big.txt" },
    result: { success: { path: "/w/big.txt", afterFullFileContent: "x".repeat(LONG), message: "Written." } },
  },
};

describe("a result of millions of bytes", () => {
  it("keeps the beginning of what a tool printed, says how much is missing, and everything else of it", () => {
    const events = decode(printed, true);
    expect(resultOf(events)).toMatchObject({
      type: "tool-result",
      callId: "c1",
      exitCode: 3,
      output: expect.stringMatching(/^(a "line"\n){20000,}.*\n\[\d+ more bytes were left out\]\s*$/s),
    });
    expect(events.at(-1)).toEqual({ type: "turn-end", outcome: { kind: "completed" } });
  });

  it("is whole where nobody asked for less", () => {
    expect((resultOf(decode(printed, false)) as { output: string }).output.length).toBeGreaterThan(LONG - 10);
  });

  it("is whole when it is the content of a file that was written", () => {
    expect(resultOf(decode(written, true))).toMatchObject({ diff: { path: "/w/big.txt", after: "x".repeat(LONG) } });
  });
});
