import type { AgentHost } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";
import type { Host } from "../host.ts";

/** How calls in a program's stream are read: as configured, else as an older bridge for OpenCode was told to. */
export function boundarySettings({ env }: Pick<Host, "env">, { tools }: Pick<Config, "tools">): AgentHost["boundary"] {
  const told = env["CURSOR_ACP_PROVIDER_BOUNDARY"]?.trim().toLowerCase();
  const fallback = env["CURSOR_ACP_PROVIDER_BOUNDARY_AUTOFALLBACK"]?.trim().toLowerCase() ?? "";
  return {
    version: tools.boundary ?? (told === "legacy" ? "legacy" : "v1"),
    autoFallback: tools.boundaryFallback ?? !["false", "0", "off", "no"].includes(fallback),
  };
}
