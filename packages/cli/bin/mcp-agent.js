// What `caret mcp --agent-id NAME` is: an agent that runs its own tools starts it as its tool server. It joins the agent to that agent's
// own socket, where the gateway is the server. Plain JavaScript that loads nothing, as the bridge is: see docs/decisions/0017.
import { connect } from "node:net";

// The version of what is spoken over the socket: see docs/agents.md.
const VERSION = 1;
const NEWLINE = 0x0a;

// biome-ignore lint/style/noProcessEnv: a program of its own, which nothing else starts or configures
const { CARET_AGENT_SOCKET: path } = process.env;
const agent = process.argv[4];

function fail(message, code) {
  process.stderr.write("caret mcp --agent-id: " + message + "\n");
  process.exitCode = code;
}

// The first line answers the hello; all after it is for the agent.
function readReply(socket, onReply) {
  let head = Buffer.alloc(0);
  const onData = (chunk) => {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf(NEWLINE);
    if (end === -1) return;
    socket.off("data", onData).pause();
    socket.unshift(head.subarray(end + 1));
    onReply(JSON.parse(head.toString("utf8", 0, end)));
  };
  socket.on("data", onData);
}

if (!path || !agent)
  fail("is started by an agent that Caret runs, with the path of its socket in CARET_AGENT_SOCKET", 2);
else {
  const socket = connect(path);
  socket.write(JSON.stringify({ caret: VERSION, agent }) + "\n");
  readReply(socket, ({ error }) => {
    if (error !== undefined) {
      fail(error.message, 1);
      return void socket.destroy();
    }
    process.stdin.pipe(socket);
    socket.pipe(process.stdout);
  });
  socket.on("error", (error) => fail(error.message, 1));
  // Either end may leave first, and takes the other one along.
  socket.on("close", () => process.stdin.destroy());
  process.stdout.on("error", () => socket.destroy());
}
