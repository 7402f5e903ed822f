import { enableCompileCache } from "node:module";
import { fileURLToPath } from "node:url";
import { newestProgram } from "@caret/simulator/newest-program";

// Without V8's compile cache, compiling costs half of every start. It lies beside the code, so that only those who can change
// the code can write to it; Node's default is a directory in /tmp that any user may have made first.
enableCompileCache(fileURLToPath(new URL("../.cache/compiled", import.meta.url)));

const here = (path) => new URL(path, import.meta.url);
const sources = ["cli", "gateway", "protocol", "runtime", "simulator"].map((name) => here(`../../${name}/src/`));
await import(newestProgram(here("../build/main.js"), here("../src/main.ts"), sources).href);
