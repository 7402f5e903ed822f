#!/usr/bin/env node

// Plain JavaScript without modern syntax, so that an old Node can still read it and say what is wrong.
var version = process.versions.node.split(".").map(Number);
// The first of each line with an SQLite that cannot damage the event log; `engines` and the doctor name the same.
var first = { 22: [22, 3], 24: [15, 0], 25: [9, 0] }[version[0]];
var isOlder = first && (version[1] < first[0] || (version[1] === first[0] && version[2] < first[1]));
if (version[0] < 26 && (!first || isOlder)) {
  process.stderr.write("caret needs Node 22.22.3, 24.15 or newer, and this is Node " + process.versions.node + ".\n");
  process.exitCode = 1;
} else if (process.argv[2] === "mcp-bridge") {
  void import("./mcp-bridge.js");
} else if (process.argv[2] === "mcp" && process.argv[3] === "--agent-id") {
  void import("./mcp-agent.js");
} else {
  void import("./start.js");
}
