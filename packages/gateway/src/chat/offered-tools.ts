import { CaretError, type ClientTool } from "@caret/protocol";

/** The tools of a request: those that its client runs, and the types of those that nobody here can run. */
export interface RequestTools {
  readonly tools: readonly ClientTool[];
  readonly unavailableTools: readonly string[];
}

/** Throws for two tools that a call could not tell apart. Groups may well use one name each for a tool of their own. */
export function assertDistinct(tools: readonly ClientTool[]): void {
  const seen = new Set<string>();
  for (const { name, namespace = "" } of tools) {
    const key = JSON.stringify([namespace, name]);
    if (seen.has(key))
      throw new CaretError("invalid-request", `tools: the name ${JSON.stringify(name)} is used twice.`);
    seen.add(key);
  }
}

/** The tool that a call means. An agent that names no group may mean any tool of that name. */
export function offeredToolOf(
  tools: readonly ClientTool[],
  { name, server }: { readonly name: string; readonly server?: string | undefined },
): ClientTool | undefined {
  const named = tools.filter((tool) => tool.name === name);
  return named.find(({ namespace }) => namespace === server) ?? named[0];
}
