import { createInterface } from "node:readline";

/** An MCP server that lists whatever its argument says, page by page, and answers every call with the tool's name. */
const pages = JSON.parse(process.argv[2] ?? "[]") as readonly (readonly unknown[])[];

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly cursor?: string; readonly name?: string };
}

const answers: Readonly<Record<string, (params: Message["params"]) => unknown>> = {
  initialize: () => ({
    protocolVersion: "2025-06-18",
    capabilities: { tools: {} },
    serverInfo: { name: "odd", version: "1" },
  }),
  "tools/list": (params) => {
    const page = Number(params?.cursor ?? 0);
    const next = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {};
    return { tools: pages[page] ?? [], ...next };
  },
  "tools/call": (params) => ({ content: [{ type: "text", text: `called ${params?.name}` }] }),
};

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line) as Message;
  const result = answers[method]?.(params);
  if (id !== undefined && result !== undefined)
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
});
