#!/usr/bin/env node

// Plain JavaScript without modern syntax, so that an old Node can still read it and say what is wrong.
var version = process.versions.node.split(".").map(Number);
if (version[0] < 22 || (version[0] === 22 && version[1] < 18)) {
  process.stderr.write("caret needs Node 22.18 or newer, and this is Node " + process.versions.node + ".\n");
  process.exitCode = 1;
} else if (process.argv[2] === "mcp-bridge") {
  void import("./mcp-bridge.js");
} else if (process.argv[2] === "mcp" && process.argv[3] === "--agent-id") {
  void import("./mcp-agent.js");
} else {
  void import("./start.js");
}
