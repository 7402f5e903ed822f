import type { PolicyMode } from "../../policy/policy-mode.ts";
import type { PolicyRule } from "../../policy/policy-parts.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { ToolRegistry, ToolSource } from "../../tools/tool-registry.ts";

/** Tools in addition to those of every turn. */
export interface MoreTools {
  readonly source: ToolSource;
  /** What could not be opened, in words. */
  readonly problems: readonly string[];
}

/** What the gateway runs for agents whose tools it owns, and what it lets them do. */
export interface GatewayToolbox {
  readonly registry: ToolRegistry;
  /** The mode applies to turns that name none. */
  readonly policy: { readonly mode: PolicyMode; readonly rules: readonly PolicyRule[] };
  readonly context: Omit<ToolContext, "workspace" | "signal">;
  /** What could not be opened, in words; shown as a notice at the start of each turn. */
  readonly problems: readonly string[];
}
