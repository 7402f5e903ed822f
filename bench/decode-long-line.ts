import { decodeChunks } from "./decode-chunks.ts";
import { timeOf } from "./interleave-rounds.ts";
import { longLine, sampleEnd } from "./sample-stream.ts";

/** What one long line costs: its time, and how far the process's memory rose above what it had before. */
export interface LineCost {
  readonly caretMs: number;
  readonly memoryMegabytes: number;
}

const MEGABYTE = 1024 * 1024;
const [megabytes = "50", outcome = "completed"] = process.argv.slice(2);

const before = process.memoryUsage.rss();
let peak = before;
const caretMs = timeOf(() => {
  decodeChunks(turn(), {
    partial: true,
    outcome,
    afterChunk() {
      peak = Math.max(peak, process.memoryUsage.rss());
    },
  });
});
const cost: LineCost = { caretMs, memoryMegabytes: (peak - before) / MEGABYTE };
console.log(JSON.stringify(cost));

function* turn(): Generator<Buffer> {
  yield* longLine(Number(megabytes) * MEGABYTE);
  yield Buffer.from(sampleEnd);
}
