import { configDefaults, defineConfig } from "vitest/config";
import { LongFirst } from "./tests/projects/long-first.ts";
import { processTests } from "./tests/projects/process-tests.ts";
import { RetryReporter } from "./tests/projects/retry-reporter.ts";

const inProcesses = [...processTests(import.meta.dirname)];

/** `--mode full` (`npm run test:full`) runs the bars at their full size. */
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
          // They share the modules of a worker: no test mocks one, or leaves anything behind.
          isolate: false,
        },
      },
      { extends: true, test: { name: "process", include: inProcesses } },
      {
        extends: true,
        test: {
          name: "system",
          include: ["tests/{clients,faults,house,load,native,turns}/*.test.ts"],
        },
      },
      {
        extends: true,
        test: { name: "page", include: ["tests/page/*.test.ts"], globalSetup: ["tests/page/one-browser.ts"] },
      },
    ],
    provide: { bars: mode === "full" ? "full" : "quick" },
    sequence: { sequencer: LongFirst },
    // CI counts its retries and prints them, so that a flake is seen; elsewhere the first failure is one.
    retry: process.env["CI"] === undefined ? 0 : 1,
    reporters: ["default", new RetryReporter()],
    // Most tests wait for processes, so that there is room for one more worker than there are cores.
    maxWorkers: 3,
    // These only end what hangs. A busy machine is no failure, so that they are long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
  },
}));
