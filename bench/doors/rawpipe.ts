import { spawn } from "node:child_process";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

/** The floor of servers in Node: starts the agent for each request, and pipes what it prints as it is. */
const [agent = "", ...args] = process.argv.slice(2);

const server = createServer(async (request, response) => {
  const body = JSON.parse((await readAll(request)).toString("utf8")) as { messages: { content: string }[] };
  const child = spawn(agent, args, { stdio: ["pipe", "pipe", "ignore"] });
  // An agent that was killed leaves a broken pipe behind, which is no news.
  child.stdin.on("error", () => undefined);
  child.stdin.end(body.messages.at(-1)?.content ?? "");
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  response.on("close", () => child.kill("SIGKILL"));
  child.stdout.pipe(response);
});

server.listen({ host: "127.0.0.1", port: 0, backlog: 1024 }, () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, token: "", pid: process.pid }));
});

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
