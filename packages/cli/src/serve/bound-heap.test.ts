import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** Runs in a separate process, because everything in one process shares the heap size. */
const script = `
import { getHeapSpaceStatistics } from "node:v8";
import { boundHeap } from ${JSON.stringify(new URL("./bound-heap.ts", import.meta.url).href)};

const bytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size;
let kept = [];
const churn = () => {
  kept = kept.length < 500 ? [...kept, new Array(1000).fill(kept.length)] : [];
};
while (bytes() < 8 * 1024 * 1024) churn();
const before = bytes();
boundHeap();
for (let count = 0; count < 50_000; count += 1) churn();
console.log(JSON.stringify({ before, after: bytes() }));
`;

test("the space for new objects grows no more once it has reached its bound, not even with the next collection", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", script]);
  const { before, after } = JSON.parse(stdout) as { readonly before: number; readonly after: number };
  // V8 may have shrunk it in the meantime.
  expect(after).toBeLessThanOrEqual(before);
});
