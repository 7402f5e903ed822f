import { plainName, type ToolGroup, toolGroup } from "../../calls/tool-aliases.ts";
import { didYouMean } from "../../models/did-you-mean.ts";
import type { InputSchema } from "../tool.ts";

/** A tool that this turn's client, or the gateway, offers to run. */
export interface OfferedTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: InputSchema;
}

export type ResolvedTool =
  | { readonly kind: "found"; readonly tool: OfferedTool; readonly repairs: readonly string[] }
  | { readonly kind: "missing"; readonly reason: string };

/** Finds the offered tool a name refers to: by exact name, else by spelling variant, else by alias. Ambiguous names match none. */
export function resolveTool(name: string, tools: readonly OfferedTool[]): ResolvedTool {
  const candidates = candidatesFor(name, tools);
  const [tool, ...rivals] = candidates;
  if (tool === undefined) return { kind: "missing", reason: unknownTool(name, tools) };
  if (rivals.length > 0) return { kind: "missing", reason: ambiguousTool(name, candidates) };
  const repairs = tool.name === name ? [] : [`\`${shown(name)}\` was taken for \`${tool.name}\``];
  return { kind: "found", tool, repairs };
}

/** The only offered tool of a group; undefined if there is none or more than one. */
export function onlyToolOf(group: ToolGroup, tools: readonly OfferedTool[]): OfferedTool | undefined {
  const members = tools.filter((tool) => toolGroup(tool.name) === group);
  return members.length === 1 ? members[0] : undefined;
}

function candidatesFor(name: string, tools: readonly OfferedTool[]): readonly OfferedTool[] {
  const exact = tools.filter((tool) => tool.name === name);
  if (exact.length > 0) return exact;
  const spelled = tools.filter((tool) => plainName(tool.name) === plainName(name));
  if (spelled.length > 0) return spelled;
  const group = toolGroup(name);
  return group === undefined ? [] : tools.filter((tool) => toolGroup(tool.name) === group);
}

function unknownTool(name: string, tools: readonly OfferedTool[]): string {
  const names = tools.map((tool) => tool.name);
  const offered = names.length === 0 ? "No tools are offered." : `The tools are ${names.join(", ")}.`;
  return `There is no tool named \`${shown(name)}\`. ${didYouMean(name, names)}${offered}`;
}

function ambiguousTool(name: string, candidates: readonly OfferedTool[]): string {
  const names = candidates.map((tool) => `\`${tool.name}\``);
  return `\`${shown(name)}\` could mean ${names.join(" or ")}. Call one of them by its own name.`;
}

/** Names come from a model: a very long one is truncated. */
function shown(name: string): string {
  return name.slice(0, 100);
}
