import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/** An MCP server for tests. */
export function createExampleServer(): McpServer {
  const server = new McpServer({ name: "example", version: "1.0.0" });
  const says = (text: string) => ({ content: [{ type: "text" as const, text }] });
  const text = z.object({ text: z.string() });
  server.registerTool("echo", { description: "Says it again", inputSchema: text }, async (input) => says(input.text));
  server.registerTool("fail", {}, async () => ({ ...says("It is broken"), isError: true }));
  server.registerTool("picture", {}, async () => ({
    content: [{ type: "image", data: Buffer.from("pixels").toString("base64"), mimeType: "image/png" }],
  }));
  server.registerTool("big.one", {}, async () => says("x".repeat(200_000)));
  server.registerTool("environment", {}, async () => says(Object.keys(process.env).sort().join()));
  server.registerTool("wait", {}, () => new Promise(() => undefined));
  server.registerTool("crash", {}, () => process.exit(1));
  server.registerTool("learn", {}, async () => {
    server.registerTool("news", {}, async () => says("new"));
    return says("learnt");
  });
  return server;
}

/** Run as a program, it serves on its standard streams and records its process id. */
const [, program, pidFile] = process.argv;
if (program === import.meta.filename && pidFile !== undefined) {
  appendFileSync(pidFile, `${process.pid}\n`);
  process.stdout.write("Welcome to the example server!\n");
  serveStdio(createExampleServer);
}
