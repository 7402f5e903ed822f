import { build } from "vite";

/**
 * Bundles the command, its helper programs and the simulators into a few ES modules with everything they import. Starting from
 * these takes a fraction of what reading hundreds of sources and stripping their types does.
 */
const programs = [
  {
    outDir: "packages/cli/build",
    // All in one directory: a module finds a program that it starts beside itself, as source and as bundle.
    input: {
      main: "packages/cli/src/main.ts",
      "in-process": "packages/cli/src/in-process/open-in-process.ts",
      "spawner-main": "packages/runtime/src/process/spawner/spawner-main.ts",
      "grep-worker": "packages/runtime/src/tools/files/grep-worker.ts",
      "page-worker": "packages/runtime/src/tools/web/page-worker.ts",
    },
  },
  {
    outDir: "packages/simulator/build",
    input: { main: "packages/simulator/src/main.ts", "upstream-main": "packages/simulator/src/upstream-main.ts" },
  },
];

for (const { outDir, input } of programs)
  await build({
    configFile: false,
    root: `${import.meta.dirname}/..`,
    publicDir: false,
    logLevel: "warn",
    ssr: { noExternal: true },
    build: {
      ssr: true,
      target: "node22",
      outDir,
      emptyOutDir: true,
      minify: false,
      rolldownOptions: { input, output: { entryFileNames: "[name].js", chunkFileNames: "[name]-[hash].js" } },
    },
  });
