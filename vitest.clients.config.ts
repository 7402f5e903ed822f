import { defineConfig } from "vitest/config";

/** The clients that are too heavy to be installed for everybody: `npm run test:clients` installs what is missing. */
export default defineConfig({
  test: {
    include: ["tests/clients/heavy/*.test.ts", "tests/clients/loops/*.test.ts"],
    testTimeout: 120_000,
    // The first run installs hundreds of megabytes.
    hookTimeout: 300_000,
    // Each is a large program by itself; side by side they only wait for each other.
    fileParallelism: false,
  },
});
