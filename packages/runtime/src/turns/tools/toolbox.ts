import type { PolicyMode } from "../../policy/policy-mode.ts";
import type { PolicyRule } from "../../policy/policy-parts.ts";
import type { ToolContext } from "../../tools/tool.ts";
import type { ToolRegistry, ToolSource } from "../../tools/tool-registry.ts";

/** Tools beside those that every turn has. */
export interface MoreTools {
  readonly source: ToolSource;
  /** What of it could not be opened, in words. */
  readonly problems: readonly string[];
}

/** What the gateway runs for agents whose tools are its own, and what it lets them do. */
export interface GatewayToolbox {
  readonly registry: ToolRegistry;
  /** The mode is that of turns which name none. */
  readonly policy: { readonly mode: PolicyMode; readonly rules: readonly PolicyRule[] };
  readonly context: Omit<ToolContext, "workspace" | "signal">;
  /** What of it could not be opened, in words; a notice at the beginning of each turn. */
  readonly problems: readonly string[];
}
