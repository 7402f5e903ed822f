import { fillArguments } from "./argument-filling.ts";
import type { ModelCall, OfferedTool } from "./model.ts";

const named = /^(?:tool_?search|search_?tools?|find_?tools?|load_?tools?|discover_?tools?|tool_?lookup)$/i;
const described =
  /\b(?:search|find|load|fetch|discover|look)\w*\b[^.]{0,60}\b(?:deferred|available|additional|more|other|on-demand) tools?\b|\bdeferred tools?\b/i;

/** A tool by which a client's other tools are found: some offer only the usual ones, and the rest on demand. */
export function isToolSearch({ name, description = "" }: OfferedTool): boolean {
  return named.test(name) || described.test(description.slice(0, 300));
}

/** A call that makes a client offer what is missing: a tool by its name, or one for a purpose. */
export function toolSearchCall(
  wanted: { readonly tool?: string; readonly purpose: string },
  tools: readonly OfferedTool[],
): ModelCall | undefined {
  const search = tools.find(isToolSearch);
  if (search === undefined) return undefined;
  const takesNames = /\bselect:/.test(`${search.description ?? ""} ${JSON.stringify(search.inputSchema)}`);
  const { tool, purpose } = wanted;
  const pattern = tool === undefined ? purpose : takesNames ? `select:${tool}` : tool;
  const { args } = fillArguments(search, { pattern }, { workingDirectory: undefined, purpose, needs: ["pattern"] });
  return { server: search.server, name: search.name, args };
}
