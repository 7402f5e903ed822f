import type { McpServer } from "@agentclientprotocol/sdk";
import { CaretError, type OfferedServer } from "@caret/protocol";

const MAX_NAME = 32;

/** Converts a client's servers to what sessions take. Throws for a kind that no lane can use. */
export function toOfferedServers(servers: readonly McpServer[]): readonly OfferedServer[] {
  const names = new Set<string>();
  return servers.map((server) => {
    const name = freeName(toName(server.name), names);
    names.add(name);
    if (!("type" in server))
      return { name, command: server.command, args: server.args, env: Object.fromEntries(server.env.map(pair)) };
    if (server.type === "http") return { name, url: server.url, headers: Object.fromEntries(server.headers.map(pair)) };
    throw new CaretError("unsupported", `The MCP server ${server.name} is reached over SSE, which is not supported`, {
      fix: "Use its address for streamable HTTP, or start it as a program.",
    });
  });
}

function pair({ name, value }: { readonly name: string; readonly value: string }): readonly [string, string] {
  return [name, value];
}

/** Prefix of the server's tool names, in which models accept only letters, digits and dashes. */
function toName(name: string): string {
  const plain = name.replaceAll(/[^A-Za-z0-9]+/g, "-").replaceAll(/^-|-$/g, "");
  return plain.slice(0, MAX_NAME) || "server";
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count += 1) free = `${name.slice(0, MAX_NAME - 4)}-${count}`;
  return free;
}
