import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "./lint-planted.ts";
import { findMissingPaths } from "./named-paths.ts";

/** Words that look like paths of ours and are not. */
const foreign = [
  // Old names, which this decision records beside the new ones.
  /^docs\/decisions\/0025-[^:]*: (?:runtime|gateway|protocol)\//,
  // Made by a build, a benchmark or `check:pricing`.
  /: (?:packages\/(?:cli|simulator)\/build|bench\/build\/stand-in|main\.js|scripts\/pricing\/markers\.json)$/,
  // Methods of the Agent Client Protocol.
  /: session\/(?:new|load|prompt|cancel|set_model)$/,
  // The receiver of a queued prompt, and a file of the data directory.
  /: (?:session\/ID|agents\/NAME\/agent\.sock)$/,
];

it("every path of the repository that a document names exists", () => {
  const { named, missing } = findMissingPaths(root, foreign);
  expect({ missing, isEnough: named > 150 }).toEqual({ missing: [], isEnough: true });
});

it("a planted path that does not exist is found, by whichever end it is named", () => {
  const planted = mkdtempSync(join(tmpdir(), "caret-paths-"));
  try {
    mkdirSync(join(planted, "packages/runtime/src/turns"), { recursive: true });
    writeFileSync(join(planted, "packages/runtime/src/turns/run-turn.ts"), "");
    const good =
      "`packages/runtime/src/turns`, `turns/run-turn`, `runtime/turns/run-turn.ts`, `run-turn.ts`, `code/shop`";
    writeFileSync(join(planted, "AGENTS.md"), `${good}: \`turns/gone\`, \`gone.ts\`, \`packages/gone/\`.\n`);
    execFileSync("git", ["init", "-q"], { cwd: planted });
    execFileSync("git", ["add", "."], { cwd: planted });
    expect(findMissingPaths(planted, []).missing.map(({ path }) => path)).toEqual([
      "turns/gone",
      "gone.ts",
      "packages/gone/",
    ]);
  } finally {
    rmSync(planted, { recursive: true });
  }
});
