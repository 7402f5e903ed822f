import { configDefaults, defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["packages/*/src/**/*.test.ts", "tests/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "tests/clients/heavy/**", "tests/clients/loops/**"],
    testTimeout: 30_000,
  },
});
