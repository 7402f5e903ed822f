import { CaretError } from "@caret/protocol";
import type { AgentHost } from "@caret/runtime";
import type { Config } from "./config/config-schema.ts";

export interface LaneChoice {
  readonly lane: "cli" | "api" | "sim";
  /** What a person should know about the choice. */
  readonly notes: readonly string[];
}

/** Said wherever the lane is chosen. */
const UNOFFICIAL =
  "The api lane is unofficial: it speaks Cursor's own protocol, which Cursor neither documents nor supports for others.";

/** The lane that turns take: `auto` means Cursor's own CLI wherever there is one. The one rule for every command. */
export async function chooseLane(config: Config, cli: AgentHost): Promise<LaneChoice> {
  if (config.lane === "api") return { lane: "api", notes: [UNOFFICIAL] };
  if (config.lane !== "auto") return { lane: config.lane, notes: [] };
  if (config.cli.command !== undefined || Object.keys(config.models).length > 0) return { lane: "cli", notes: [] };
  try {
    await cli.resolveLaunch(undefined);
    return { lane: "cli", notes: [] };
  } catch (reason) {
    const { upstream } = CaretError.from(reason);
    const note =
      "No Cursor agent CLI was found, so turns are simulated. Install it, or set `cli.command`, for real ones.";
    return { lane: "sim", notes: upstream === undefined ? [note] : [note, `${upstream}.`] };
  }
}
