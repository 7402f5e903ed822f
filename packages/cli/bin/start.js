import { newestProgram } from "../../simulator/bin/newest-program.js";
import { loadBundle } from "./load-bundle.js";

// Taken directly: an import makes Node load whatever is behind the getters of these modules, too.
const { enableCompileCache } = process.getBuiltinModule("node:module");
const { fileURLToPath } = process.getBuiltinModule("node:url");
const { setFlagsFromString } = process.getBuiltinModule("node:v8");

// Nothing in a start runs often enough to be worth compiling, and V8's optimizing compilers alone take 8 MB of memory; its
// baseline compiler takes another.
// The gateway turns them on again with its first request (src/serve/light-start.ts); other commands never turn them off.
if (process.argv[2] === "serve") {
  setFlagsFromString("--no-opt");
  setFlagsFromString("--no-maglev");
  setFlagsFromString("--no-sparkplug");
}

// Node 22 calls its SQLite experimental each time it is loaded; the versions that start Caret have the one that the log needs.
if (process.versions.node.startsWith("22.")) {
  const { emitWarning } = process;
  process.emitWarning = (warning, ...how) => {
    if (!String(warning).startsWith("SQLite is an experimental feature")) emitWarning.call(process, warning, ...how);
  };
}

const here = (path) => new URL(path, import.meta.url);
const sources = ["cli", "fleet", "gateway", "protocol", "runtime", "simulator"].map((name) =>
  here(`../../${name}/src/`),
);
const bundle = here("../build/main.js");
const program = newestProgram(bundle, here("../src/main.ts"), sources);
// Beside the code, so that only those who can change the code can write to it; Node's default is a directory in /tmp that any
// user may have made first.
const cache = fileURLToPath(here("../.cache/compiled/"));
if (program === bundle) {
  const [, , command = ""] = process.argv;
  loadBundle(fileURLToPath(here("../build/")), cache, /^[a-z][a-z-]*$/.test(command) ? command : "caret");
} else {
  enableCompileCache(cache);
  await import(program.href);
}
