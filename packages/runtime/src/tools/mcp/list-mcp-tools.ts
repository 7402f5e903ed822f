import { readToolSchema } from "@caret/protocol";
import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { z } from "zod";

/** Limits for a server whose list never ends. */
const MAX_TOOLS = 128;
const MAX_PAGES = 64;

/** A server's tool, reduced to what is passed on. */
export interface ListedTool {
  readonly name: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface ListedTools {
  readonly tools: readonly ListedTool[];
  /** Omitted tools and why, a sentence each. */
  readonly leftOut: readonly string[];
}

const pageSchema = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().nullish() });
const words = z.string().optional().catch(undefined);
const toolSchema = z.looseObject({
  name: z.string().min(1),
  title: words,
  description: words,
  inputSchema: z.unknown(),
});

/** Lists all tools of a server. The protocol's own client rejects the whole list for one bad tool; this omits only that tool. */
export async function listMcpTools(client: Client, server: string, options?: RequestOptions): Promise<ListedTools> {
  const listed: unknown[] = [];
  let cursor: string | undefined;
  // A server without the capability has no tools and need not know the method.
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], leftOut: [] };
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { params: { cursor } };
    const { tools, nextCursor } = await client.request({ method: "tools/list", ...params }, pageSchema, options);
    listed.push(...tools);
    if (nextCursor === undefined || nextCursor === null) break;
    cursor = nextCursor;
  }
  const names = new Set<string>();
  const read = listed.map((each) => {
    const tool = readTool(each, server);
    if (typeof tool === "string") return tool;
    if (names.has(tool.name)) return notOffered(tool.name, server, "it is listed twice");
    names.add(tool.name);
    return tool;
  });
  const tools = read.filter((tool) => typeof tool !== "string");
  const rest = tools.length - MAX_TOOLS;
  const cut = `The last ${rest} tools of the MCP server ${server} are not offered: at most ${MAX_TOOLS} are`;
  return {
    tools: tools.slice(0, MAX_TOOLS),
    leftOut: [...read.filter((tool) => typeof tool === "string"), ...(rest > 0 ? [cut] : [])],
  };
}

function notOffered(tool: string, server: string, why: string): string {
  return `The tool ${tool.slice(0, 100)} of the MCP server ${server} is not offered: ${why}`;
}

/** Returns the tool, or why it is omitted. */
function readTool(tool: unknown, server: string): ListedTool | string {
  const { data } = toolSchema.safeParse(tool);
  if (data === undefined) return `A tool of the MCP server ${server} is not offered: it has no name`;
  const { name, title, description } = data;
  const read = readToolSchema(data.inputSchema);
  return "schema" in read
    ? { name, title, description, inputSchema: read.schema }
    : notOffered(name, server, `its input schema ${read.problem}`);
}
