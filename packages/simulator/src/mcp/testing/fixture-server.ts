import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { McpServer } from "@modelcontextprotocol/server";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { z } from "zod";

/** A small real MCP server for the tests: it speaks, fails, dawdles, and writes down that it lived. */
const [, , diary, greeting = "ECHOED", manner] = process.argv;

const server = new McpServer({ name: "fixture", version: "1.0.0" });

server.registerTool(
  "echo",
  { description: "Says the text again.", inputSchema: z.object({ text: z.string() }) },
  ({ text }) => ({ content: [{ type: "text", text: `${greeting}: ${text}` }] }),
);

server.registerTool("fail", { description: "Always fails.", inputSchema: z.object({}) }, () => ({
  content: [{ type: "text", text: "It did not work." }],
  isError: true,
}));

server.registerTool("picture", { description: "A tiny picture.", inputSchema: z.object({}) }, () => ({
  content: [
    { type: "image", data: "AAAA", mimeType: "image/png" },
    { type: "resource", resource: { uri: "note:1", text: "a note" } },
  ],
}));

server.registerTool(
  "slow",
  {
    description: "Takes its time; `talks` makes it report progress.",
    inputSchema: z.object({ milliseconds: z.number(), talks: z.boolean() }),
  },
  async ({ milliseconds, talks }, context) => {
    const token = context.mcpReq._meta?.progressToken;
    const end = Date.now() + milliseconds;
    for (let progress = 1; Date.now() < end; progress++) {
      await wait(50);
      if (talks && token !== undefined)
        await context.mcpReq.notify({ method: "notifications/progress", params: { progressToken: token, progress } });
    }
    return { content: [{ type: "text", text: "done at last" }] };
  },
);

if (manner === "growing")
  server.registerTool("grow", { description: "Adds a tool.", inputSchema: z.object({}) }, () => {
    server.registerTool("late", { description: "Was added.", inputSchema: z.object({}) }, () => ({
      content: [{ type: "text", text: "late indeed" }],
    }));
    return { content: [{ type: "text", text: "grown" }] };
  });

if (diary !== undefined) appendFileSync(diary, `${process.pid}\n`);
await server.connect(new StdioServerTransport());
