import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "tests/clients/heavy/**", "tests/clients/loops/**"],
    testTimeout: 30_000,
    // Hooks start whole gateways, and the machine may be busy.
    hookTimeout: 30_000,
  },
});
