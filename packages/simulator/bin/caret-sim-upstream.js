#!/usr/bin/env node
// Plain JavaScript on purpose: it must be able to say what is wrong under a Node that cannot read TypeScript.
import { newestProgram } from "./newest-program.js";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(`caret-sim-upstream needs Node 22.18 or newer; this is ${process.versions.node}.\n`);
  process.exit(1);
}
const here = (path) => new URL(path, import.meta.url);
const sources = [here("../src/"), here("../../protocol/src/")];
await import(newestProgram(here("../build/upstream-main.js"), here("../src/upstream-main.ts"), sources).href);
