// What `caret mcp-bridge` is: the agent starts it as its tool server, and it joins the agent to the gateway, which is the
// server. It waits as long as its turn does, so that it is plain JavaScript and loads nothing: see docs/decisions/0017.
import { connect } from "node:net";

// biome-ignore lint/style/noProcessEnv: a program of its own, which nothing else starts or configures
const { CARET_BRIDGE_SOCKET: path, CARET_BRIDGE_TURN: turnId, CARET_BRIDGE_SECRET: secret } = process.env;

if (!path || !turnId || !secret) {
  process.stderr.write("caret mcp-bridge is started by an agent that Caret runs; it is of no use by hand.\n");
  process.exitCode = 2;
} else {
  const socket = connect(path);
  socket.write(JSON.stringify({ turnId, secret }) + "\n");
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  socket.on("error", (error) => {
    process.stderr.write("caret mcp-bridge: " + error.message + "\n");
    process.exitCode = 1;
  });
  // Either end may leave first, and takes the other one along.
  socket.on("close", () => process.stdin.destroy());
  process.stdout.on("error", () => socket.destroy());
}
