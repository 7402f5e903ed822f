import { join } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { ByProject } from "./tests/projects/by-project.ts";
import { fullOnly } from "./tests/projects/full-only.ts";
import { processTests } from "./tests/projects/process-tests.ts";
import { scratchInMemory } from "./tests/projects/scratch-directory.ts";

const inProcesses = [...processTests(import.meta.dirname)];

// For the workers and what they start from sources: compiling takes more than half of a start.
process.env["NODE_COMPILE_CACHE"] ??= join(import.meta.dirname, "node_modules/.cache/compiled");

scratchInMemory();

const isQuick = (mode: string): boolean => mode !== "full" && mode !== "bars";

/** `--mode full` (`npm run test:full`) runs the longer proofs, `--mode bars` (`npm run test:bars FILE`) the longest at their whole size. */
export default defineConfig(({ mode }) => ({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["packages/*/src/**/*.test.ts", "bench/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...inProcesses],
          setupFiles: ["tests/projects/no-processes.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "process",
          include: [
            ...inProcesses,
            "tests/{agents,approvals,chat,clients,faults,fleet,house,lanes,load,mcp,native,owners,package,turns}/*.test.ts",
          ],
          globalSetup: ["tests/projects/built-programs.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "page",
          include: ["tests/page/*.test.ts"],
          globalSetup: ["tests/projects/built-programs.ts", "tests/page/one-browser.ts"],
        },
      },
    ],
    exclude: [...configDefaults.exclude, ...(isQuick(mode) ? fullOnly : [])],
    // The files of a project share the modules of a worker: no test replaces one, or leaves anything behind.
    isolate: false,
    provide: { bars: isQuick(mode) ? "quick" : mode },
    sequence: { sequencer: ByProject },
    // Nowhere, in CI neither, is a test run again: one that passes only the second time has failed.
    retry: 0,
    // A worker uses less than half of a core and waits otherwise: five keep two cores busy. Each more loads all modules once more.
    maxWorkers: 5,
    // These only end what hangs. A busy machine is no failure, so they are long, and longer for full sizes.
    testTimeout: isQuick(mode) ? 60_000 : 600_000,
    hookTimeout: isQuick(mode) ? 60_000 : 600_000,
    expect: { poll: { timeout: 20_000, interval: 100 } },
  },
}));
