import { describe, expect, it } from "vitest";
import { asyncStagesOf, filesOfWay, linesOf, sourceFiles, wayIn, wayOut } from "./turn-way.ts";

describe("the way of a turn (`npm run way` prints it)", () => {
  // 60 until demands were verified and the turn's acts were kept: the demands are three files, the acts and the ends that say so five.
  it("a chat request passes at most 70 files from its route to the spawn", () => {
    const files = filesOfWay(wayIn);
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(70);
  });

  it("a delta passes at most 20 files from the agent's bytes to the line of a stream", () => {
    const files = filesOfWay(wayOut);
    expect(files.length, files.join("\n")).toBeLessThanOrEqual(20);
  });

  it("and no async generator: a batch goes from the agent's read to the client's write in one call", () => {
    expect(filesOfWay(wayOut).flatMap(asyncStagesOf)).toEqual([]);
  });
});

describe("the source files", () => {
  const lengths = sourceFiles().map((path) => ({ path, lines: linesOf(path).length }));
  const sorted = lengths.map(({ lines }) => lines).sort((one, other) => one - other);

  // 830 after the review of the house. Since then came the API lane with its upstream and logins (130), agents and worktrees,
  // sandboxes, MCP dispatch and comparisons, ACP as a door and as a lane, and their commands (200), then the installation of
  // clients, the plugin of OpenCode, lists of models, doctor's checks, the library and the registration of agents (120).
  // The fleet's agents, comparisons, imports, lineage and metrics of workers were 30, checkpoints and streams of the spawner 4.
  // The Responses API as it is published (stored and background responses, compaction, WebSockets) was 24.
  it("are at most 1620, generated ones aside", () => {
    expect(lengths.length).toBeLessThanOrEqual(1620);
  });

  it("have between 50 and 80 lines in the median, and none has more than 400", () => {
    const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
    expect({ isMedianFair: median >= 50 && median <= 80, long: lengths.filter(({ lines }) => lines > 400) }).toEqual({
      isMedianFair: true,
      long: [],
    });
  });
});
