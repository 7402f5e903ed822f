import { defineConfig } from "vitest/config";

/** The clients that are too heavy to be installed for everybody: `npm run test:clients` installs what is missing. */
export default defineConfig({
  test: {
    include: ["tests/clients/heavy/*.test.ts", "tests/clients/loops/*.test.ts"],
    testTimeout: 300_000,
    // They are other people's programs, and lose a command's output or a second now and then; what is wrong here is wrong twice.
    retry: 1,
    // The first run installs hundreds of megabytes.
    hookTimeout: 900_000,
    // Each is a large program by itself; side by side they only wait for each other.
    fileParallelism: false,
  },
});
