import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // Real processes on a shared machine may be starved once; a test that fails twice in a row has found something.
    retry: process.env["CI"] === undefined ? 0 : 1,
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "tests/clients/heavy/**", "tests/clients/loops/**"],
    // Most tests wait for processes, so that there is room for one more worker than there are cores.
    maxWorkers: 3,
    testTimeout: 30_000,
    // A process that is waited for may take its time to start.
    expect: { poll: { timeout: 10_000 } },
    // Hooks start whole gateways, and the machine may be busy.
    hookTimeout: 30_000,
  },
});
