import { build } from "vite";
import { useStandIns } from "./stand-ins.ts";
import { takeBuiltinsDirectly } from "./take-builtins-directly.ts";

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
      "grep-worker": "packages/runtime/src/tools/files/grep-worker.ts",
      "page-worker": "packages/runtime/src/tools/web/page-worker.ts",
    },
  },
  // By itself, so that it shares no module with the gateway: the spawner loads what it needs and nothing else.
  {
    outDir: "packages/cli/build",
    isAddition: true,
    input: { "spawner-main": "packages/runtime/src/process/spawner/spawner-main.ts" },
  },
  {
    outDir: "packages/cli/build",
    isAddition: true,
    input: { "bridge-main": "packages/runtime/src/lanes/api/http-bridge/bridge-main.ts" },
  },
  // By itself, so that what another program loads of Caret does not divide what the command loads.
  {
    outDir: "packages/cli/build",
    isAddition: true,
    input: { "in-process": "packages/cli/src/in-process/open-in-process.ts" },
  },
  { outDir: "packages/simulator/build", input: { main: "packages/simulator/src/main.ts" } },
  // By itself as well: the CLI's simulator is started often, and loads nothing of the servers'.
  {
    outDir: "packages/simulator/build",
    isAddition: true,
    input: { "upstream-main": "packages/simulator/src/upstream-main.ts" },
  },
];

for (const { outDir, input, isAddition = false } of programs)
  await build({
    configFile: false,
    root: `${import.meta.dirname}/..`,
    publicDir: false,
    logLevel: "warn",
    ssr: { noExternal: true },
    plugins: [useStandIns, takeBuiltinsDirectly],
    build: {
      ssr: true,
      target: "node22",
      outDir,
      emptyOutDir: !isAddition,
      rolldownOptions: {
        input,
        output: {
          entryFileNames: "[name].js",
          chunkFileNames: "[name]-[hash].js",
          // Node keeps the text of every module it has loaded, at two bytes a character if one of them is not Latin-1.
          charset: "ascii",
          // Names and lines stay: Node prints the line of an error that nobody has caught.
          minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
          comments: false,
        },
      },
    },
  });
