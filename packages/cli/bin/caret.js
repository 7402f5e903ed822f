#!/usr/bin/env node
import { fileURLToPath } from "node:url";

// Plain JavaScript without modern syntax, so that an old Node can still read it and say what is wrong.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 18)) {
  process.stderr.write("caret needs Node 22.18 or newer, and this is Node " + process.versions.node + ".\n");
  process.exitCode = 1;
} else if (process.argv[2] === "mcp-bridge") {
  void import("./mcp-bridge.js");
} else {
  // Without the compile cache, stripping the types costs half of every start. It lies beside the code, so that only those
  // who can change the code can write to it; Node's default is a directory in /tmp that any user may have made first.
  void import("node:module").then((module) => {
    module.enableCompileCache(fileURLToPath(new URL("../.cache/compiled", import.meta.url)));
    return import("../src/main.ts");
  });
}
