import type { ClientTool, ToolOrigin } from "../tools/bridge/bridge-messages.ts";
import type { OfferedTools } from "./lane.ts";
import type { ClientToolsOffer } from "./session-engine.ts";

/** What of the client's tools can be called until its next request. */
export interface ToolRound {
  /** What the client calls a tool that the agent knows by this name. */
  originOf(name: string): ToolOrigin;
  /** Why a tool cannot be called now, in words for the agent. */
  refusalOf(name: string): string | undefined;
  readonly onToolsChange: NonNullable<OfferedTools["onToolsChange"]>;
  /** Gives the tools that were not offered before. */
  change(next: ClientToolsOffer): readonly ClientTool[];
}

export function createToolRound(first: ClientToolsOffer): ToolRound {
  const listeners: ((tools: readonly ClientTool[]) => void)[] = [];
  const known = new Set(first.tools.map(({ name }) => name));
  let current = first;
  const find = (name: string): ClientTool | undefined => current.tools.find((tool) => tool.name === name);

  return {
    originOf: (name) => find(name)?.origin ?? { name },
    refusalOf(name) {
      const { callable } = current;
      if (known.has(name) && find(name) === undefined) return `The client does not offer ${name} any more.`;
      if (callable === undefined || callable.includes(name)) return undefined;
      if (callable.length === 0) return "The client wants an answer in words now: no tool can be called.";
      return `The client wants a call of ${callable.join(" or ")} now: no other tool can be called.`;
    },
    onToolsChange: (listener) => void listeners.push(listener),
    change(next) {
      const added = next.tools.filter(({ name }) => find(name) === undefined);
      const isSame = JSON.stringify(next.tools) === JSON.stringify(current.tools);
      current = next;
      for (const { name } of added) known.add(name);
      if (!isSame) for (const listener of listeners) listener(next.tools);
      return added;
    },
  };
}
