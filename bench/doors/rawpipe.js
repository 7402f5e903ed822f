// The floor of servers in Node: starts the agent for each request, and pipes what it prints as it is. Plain JavaScript,
// because stripping types would cost it memory and time that a bare server does not need.
import { spawn } from "node:child_process";
import { createServer } from "node:http";

const [port, agent = "", ...args] = process.argv.slice(2);

const server = createServer(async (request, response) => {
  if (request.method === "GET") {
    response.end("ok"); // a health check
    return;
  }
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { messages } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
  const child = spawn(agent, args, { stdio: ["pipe", "pipe", "ignore"] });
  // An agent that was killed leaves a broken pipe behind, which is no news.
  child.stdin.on("error", () => undefined);
  child.stdin.end(messages.map(({ content }) => content).join("\n"));
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  response.on("close", () => child.kill("SIGKILL"));
  child.stdout.pipe(response);
});

server.listen({ host: "127.0.0.1", port: Number(port), backlog: 1024 }, () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  console.log(JSON.stringify({ url, token: "", pid: process.pid }));
});
