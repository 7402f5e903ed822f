import { CaretError, type ClientTool, readToolSchema } from "@caret/protocol";

/** A request's tools: those its client runs, and the types of those that only OpenAI or Anthropic could run. */
export interface RequestTools {
  readonly tools: readonly ClientTool[];
  readonly unavailableTools: readonly string[];
}

/** A tool as sent, with its schema unchecked. */
export type SentTool = Omit<ClientTool, "inputSchema"> & { readonly inputSchema: unknown };

/** `read`: each tool of the request, or the type of one that no client runs. */
export function toRequestTools(read: readonly (SentTool | string)[]): RequestTools {
  const tools = read.filter((tool) => typeof tool !== "string").map(withReadSchema);
  assertDistinct(tools);
  return { tools, unavailableTools: read.filter((tool) => typeof tool === "string") };
}

/** Throws for a schema that no program accepts: it would make the other tools unusable too. */
function withReadSchema(tool: SentTool): ClientTool {
  const read = readToolSchema(tool.inputSchema);
  if ("schema" in read) return { ...tool, inputSchema: read.schema };
  throw new CaretError("invalid-request", `tools: the input schema of ${JSON.stringify(tool.name)} ${read.problem}.`);
}

/** Throws for two tools whose calls could not be told apart. Two namespaces can each have a tool with the same name. */
function assertDistinct(tools: readonly ClientTool[]): void {
  const seen = new Set<string>();
  for (const { name, namespace = "" } of tools) {
    const key = JSON.stringify([namespace, name]);
    if (seen.has(key))
      throw new CaretError("invalid-request", `tools: the name ${JSON.stringify(name)} is used twice.`);
    seen.add(key);
  }
}

/** The tool that a call means: the one in its namespace, else the first with its name. */
export function toolOfCall(
  tools: readonly ClientTool[],
  { name, server }: { readonly name: string; readonly server?: string | undefined },
): ClientTool | undefined {
  const named = tools.filter((tool) => tool.name === name);
  return named.find(({ namespace }) => namespace === server) ?? named[0];
}
