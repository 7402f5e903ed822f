import type { PolicyMode } from "../../policy/policy-mode.ts";
import type { PolicyRule } from "../../policy/policy-parts.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import type { ToolRegistry } from "../../tools/tool-registry.ts";

/** What the gateway runs for agents whose tools are its own, and what it lets them do. */
export interface GatewayToolbox {
  readonly registry: ToolRegistry;
  /** The same with tools of a turn's own before them. */
  readonly registryWith: (tools: readonly Tool[]) => ToolRegistry;
  /** The mode is that of turns which name none. */
  readonly policy: { readonly mode: PolicyMode; readonly rules: readonly PolicyRule[] };
  readonly context: Omit<ToolContext, "workspace" | "signal">;
  /** What of it could not be opened, in words; a notice at the beginning of each turn. */
  readonly problems: readonly string[];
}
