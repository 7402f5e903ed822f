import type { Config } from "../config/config-schema.ts";

/**
 * Warns that `tools.rules` does not apply to every tool: the rules deny something, but the gateway is not the only one to run tools. An
 * agent that runs its own is bound by Cursor's permissions, a client by its own.
 */
export function unboundTools(
  { tools: { rules, owner: chosen } }: Config,
  owner: Config["tools"]["owner"] = chosen,
): readonly string[] {
  const forbids = rules.some(({ effect }) => effect !== "allow");
  if (!forbids || owner === "gateway" || owner === "none") return [];
  return [
    "tools.rules cannot be enforced on tools that an agent or a client runs by itself: they bind the gateway's tools only",
  ];
}
