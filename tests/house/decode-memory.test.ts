import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { isFullRun } from "@caret/runtime/testing/bar-size.ts";
import { describe, expect, it } from "vitest";
import { longLine, sampleEnd, sampleRounds } from "../../bench/sample-stream.ts";
import { root } from "./lint-planted.ts";

const MEGABYTE = 1024 * 1024;

interface Decoded {
  readonly bytesIn: number;
  readonly peakMegabytes: number;
  readonly lastEvent: unknown;
  readonly exitCode: number | null;
}

/** Feed `caret decode` no faster than it reads, and ask the kernel for the most memory it ever had. */
async function decodeApart(chunks: Iterable<string | Uint8Array>): Promise<Decoded> {
  const child = spawn(process.execPath, [join(root, "packages/cli/bin/caret.js"), "decode"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const { pid, stdin, stdout } = child;
  const closed = once(child, "close");
  const events = lastLines(stdout);
  let bytesIn = 0;
  for (const chunk of chunks) {
    bytesIn += Buffer.byteLength(chunk);
    if (!stdin.write(chunk)) await once(stdin, "drain");
  }
  // It reads on after the end of the turn, so it has done all its work by now and is still there to be asked.
  await events.until("turn-end");
  const peakMegabytes = peakOf(pid);
  stdin.end();
  const [exitCode] = (await closed) as [number | null];
  return { bytesIn, peakMegabytes, lastEvent: JSON.parse(events.last()), exitCode };
}

/** The end of what is printed, all that this test has room for. */
function lastLines(stream: Readable) {
  let tail = "";
  stream.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-4096);
  });
  return {
    last: () => tail.trimEnd().split("\n").at(-1) ?? "",
    async until(words: string) {
      while (!tail.includes(words)) await once(stream, "data");
    },
  };
}

function peakOf(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

function* longTurn(minBytes: number): Generator<string> {
  let bytes = 0;
  for (const round of sampleRounds({ partial: true })) {
    yield round;
    bytes += Buffer.byteLength(round);
    if (bytes >= minBytes) break;
  }
  yield sampleEnd;
}

function* turnWithLongLine(bytes: number): Generator<string | Uint8Array> {
  yield* longLine(bytes);
  yield sampleEnd;
}

const completed = { type: "turn-end", outcome: { kind: "completed" } };

describe.runIf(existsSync("/proc/self/status"))("the memory of caret decode", () => {
  // Node itself takes 110 MB: holding the stream would take more than the bound.
  const streamed = 200;
  const bound = streamed + 80;
  it.runIf(isFullRun())(
    `does not follow the length of the stream: ${streamed} MB pass through less than ${bound}`,
    async () => {
      const { bytesIn, peakMegabytes, lastEvent, exitCode } = await decodeApart(longTurn(streamed * MEGABYTE));
      expect({ lastEvent, exitCode }).toEqual({ lastEvent: completed, exitCode: 0 });
      expect(bytesIn).toBeGreaterThanOrEqual(streamed * MEGABYTE);
      expect(peakMegabytes).toBeLessThan(bound);
    },
    120_000,
  );

  // The line is held as bytes, as text, as a value and as the event that is printed, and Node itself takes 110 MB.
  it("holds one line of 50 MB a handful of times and no more: it stays under 600", async () => {
    const { peakMegabytes, lastEvent, exitCode } = await decodeApart(turnWithLongLine(50 * MEGABYTE));
    expect({ lastEvent, exitCode }).toEqual({ lastEvent: completed, exitCode: 0 });
    expect(peakMegabytes).toBeLessThan(600);
  }, 60_000);
});
