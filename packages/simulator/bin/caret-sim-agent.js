#!/usr/bin/env node
// Plain JavaScript on purpose: it must be able to say what is wrong under a Node that cannot read TypeScript.
// The whole module, because an old Node lacks the name and would not even start.
import module from "node:module";
import { fileURLToPath } from "node:url";
import { newestProgram } from "./newest-program.js";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`caret-sim-agent needs Node 22.18 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}
// stderr is part of what is simulated, so Node's own warnings about young features must not appear there.
process.removeAllListeners("warning");
// Without the cache, compiling costs more than the rest of the boot together.
// It lies beside the code: Node's default is a directory in /tmp that any user may have made first.
module.enableCompileCache?.(fileURLToPath(new URL("../.cache/compiled", import.meta.url)));
const here = (path) => new URL(path, import.meta.url);
await import(newestProgram(here("../build/main.js"), here("../src/main.ts"), [here("../src/")]).href);
