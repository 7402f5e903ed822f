import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { BenchReport, BenchRow } from "./bench-report.ts";
import { decodeChunks } from "./decode-chunks.ts";
import type { LineCost } from "./decode-long-line.ts";
import { interleaveRounds, timeOf } from "./interleave-rounds.ts";
import { longLine, sampleStream } from "./sample-stream.ts";

const MEGABYTE = 1024 * 1024;
/** What a read of a pipe gives at most. */
const CHUNK_BYTES = 64 * 1024;
const ROUNDS = 11;
const BAR = 0.6;

/** How fast bytes become events, against the least that anyone must do with them: split the lines and parse each. */
export function benchDecode(): BenchReport {
  return {
    name: "decode",
    floor: "split the same bytes at newlines and JSON.parse every line",
    rows: [
      measureStream("a turn with partial output", true),
      measureStream("a turn without it", false),
      measureLongLine(50),
      measureOverCap(100),
    ],
  };
}

function measureStream(what: string, partial: boolean): BenchRow {
  const stream = sampleStream({ partial, minBytes: 8 * MEGABYTE });
  const chunks = [...chunksOf(stream)];
  const { floor, caret } = interleaveRounds(
    { floor: () => parseLines(chunks), caret: () => decodeChunks(chunks, { partial, outcome: "completed" }) },
    ROUNDS,
  );
  const ratio = floor / caret;
  const demand = { text: `ratio ≥ ${BAR.toFixed(2)}`, met: ratio >= BAR };
  return { what, megabytes: stream.byteLength / MEGABYTE, floorMs: floor, caretMs: caret, ratio, demand };
}

function measureLongLine(megabytes: number): BenchRow {
  const floorMs = timeOf(() => parseLines(longLine(megabytes * MEGABYTE)));
  const { caretMs, memoryMegabytes } = decodeApart(megabytes, "completed");
  return { what: "one long line", megabytes, floorMs, caretMs, ratio: floorMs / caretMs, memoryMegabytes };
}

/** Past the cap a line is dropped as it comes, and the turn fails: memory must not follow the agent. */
function measureOverCap(megabytes: number): BenchRow {
  return { what: "a line over the cap", megabytes, ...decodeApart(megabytes, "failed") };
}

/** In a process of its own: what an earlier row left behind in this one would hide what the line costs. */
function decodeApart(megabytes: number, outcome: string): LineCost {
  const script = fileURLToPath(new URL("./decode-long-line.ts", import.meta.url));
  const printed = execFileSync(process.execPath, [script, String(megabytes), outcome], { encoding: "utf8" });
  return JSON.parse(printed) as LineCost;
}

/** The floor. It keeps nothing, understands nothing and forgives nothing. */
function parseLines(chunks: Iterable<Uint8Array>): void {
  let open: Uint8Array[] = [];
  for (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      open.push(chunk.subarray(start, end));
      JSON.parse(lineOf(open));
      open = [];
      start = end + 1;
    }
    if (start < chunk.byteLength) open.push(chunk.subarray(start));
  }
}

function lineOf(parts: readonly Uint8Array[]): string {
  const [only] = parts;
  const bytes = parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
}

function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.byteLength; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
}
