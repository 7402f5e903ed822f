import { build, type Plugin } from "vite";
import { useStandIns } from "./stand-ins.ts";
import { takeBuiltinsDirectly } from "./take-builtins-directly.ts";
import { wrapScripts } from "./wrap-scripts.ts";

interface Program {
  /** The package whose `build` directory it goes to. */
  readonly of: "cli" | "simulator" | "opencode-plugin" | "pi-provider";
  readonly input: Readonly<Record<string, string>>;
  /** Whether it consists of scripts, which `load-bundle.js` of the package loads, and not of modules. */
  readonly areScripts?: true;
}

/** In order: the first of a package empties its directory. */
const programs: readonly Program[] = [
  {
    of: "cli",
    // All in one directory: a module finds a program that it starts beside itself, as source and as bundle.
    input: { main: "packages/cli/src/main.ts" },
    areScripts: true,
  },
  {
    of: "cli",
    input: {
      "checkpoint-worker": "packages/runtime/src/log/sqlite/checkpoint-worker.ts",
      "grep-worker": "packages/runtime/src/tools/files/grep-worker.ts",
      "page-worker": "packages/runtime/src/tools/web/page-worker.ts",
    },
  },
  // By itself, so that it shares no module with the gateway: the spawner loads what it needs and nothing else.
  { of: "cli", input: { "spawner-main": "packages/runtime/src/process/spawner/spawner-main.ts" } },
  { of: "cli", input: { "bridge-main": "packages/runtime/src/lanes/api/http-bridge/bridge-main.ts" } },
  // By themselves, so that what another program loads of Caret does not divide what the command loads.
  {
    of: "cli",
    input: {
      "in-process": "packages/cli/src/in-process/open-in-process.ts",
      library: "packages/cli/src/library/library-main.ts",
    },
  },
  // By itself, because it also runs in browsers: nothing of Node may be in it.
  { of: "cli", input: { client: "packages/cli/src/library/client.ts" } },
  { of: "simulator", input: { main: "packages/simulator/src/main.ts" } },
  // By itself as well: the CLI's simulator is started often, and loads nothing of the servers'.
  { of: "simulator", input: { "upstream-main": "packages/simulator/src/upstream-main.ts" } },
  { of: "simulator", input: { index: "packages/simulator/src/index.ts" } },
];

/**
 * What clients load of Caret, in a program and with a runtime of their own. In a checkout they load the sources. What Pi
 * brings itself stays outside.
 */
const extensions: readonly Program[] = [
  { of: "opencode-plugin", input: { index: "packages/opencode-plugin/src/index.ts" } },
  {
    of: "pi-provider",
    input: {
      "gateway-provider": "packages/pi-provider/src/gateway-provider.ts",
      "in-process-provider": "packages/pi-provider/src/in-process-provider.ts",
    },
  },
];

interface BuildProgramsOptions {
  /** The directory that holds those of the packages, relative to the repository. */
  readonly into: string;
  readonly plugins?: readonly Plugin[];
  /** What is not bundled: the program that loads the bundle brings it. */
  readonly external?: RegExp;
}

/**
 * Bundles the command, its helper programs, the library and the simulators into a few ES modules with everything they import.
 * Starting from these takes a fraction of what reading hundreds of sources and stripping their types does.
 */
export async function buildPrograms({ into, plugins = [] }: BuildProgramsOptions): Promise<void> {
  await buildAll(programs, { into, plugins: [useStandIns, takeBuiltinsDirectly, ...plugins] });
}

/** Bundles what clients load of Caret, for a package that has no sources. */
export async function buildExtensions(options: BuildProgramsOptions): Promise<void> {
  await buildAll(extensions, { external: /^@earendil-works\//, ...options });
}

async function buildAll(
  all: readonly Program[],
  { into, plugins = [], external }: BuildProgramsOptions,
): Promise<void> {
  for (const [index, { of, input, areScripts = false }] of all.entries())
    await build({
      configFile: false,
      root: `${import.meta.dirname}/..`,
      publicDir: false,
      logLevel: "warn",
      ssr: { noExternal: true },
      plugins: [...plugins, ...(areScripts ? [wrapScripts] : [])],
      build: {
        ssr: true,
        target: "node22",
        outDir: `${into}/${of}/build`,
        emptyOutDir: all.findIndex((program) => program.of === of) === index,
        rolldownOptions: {
          input,
          ...(external === undefined ? {} : { external }),
          output: {
            format: areScripts ? "cjs" : "es",
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
}
