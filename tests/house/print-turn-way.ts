import { asyncStagesOf, filesOf, filesOfWay, type Stretch, wayIn, wayOut } from "./turn-way.ts";

/** `npm run way`: the files one opens to follow a chat request to the spawn, and a delta from bytes to SSE. */
function print(title: string, way: readonly Stretch[]): void {
  const files = filesOfWay(way);
  process.stdout.write(`${title}: ${files.length} files\n`);
  for (const stretch of way) {
    process.stdout.write(`\n  ${stretch.title}\n`);
    for (const path of filesOf(stretch)) process.stdout.write(`    ${path}\n`);
  }
  process.stdout.write("\n");
}

print("A request in", wayIn);
print("A delta out", wayOut);
const stages = filesOfWay(wayOut).flatMap(asyncStagesOf);
process.stdout.write(
  `Async generators on the way out: ${stages.length}\n${stages.map((stage) => `  ${stage}\n`).join("")}`,
);
