import { CaretError, type LaneName } from "@caret/protocol";
import type { AgentHost } from "@caret/runtime";
import type { Config } from "../config/config-schema.ts";

export interface LaneChoice {
  readonly lane: "cli" | "acp" | "api" | "sim";
  /** Lanes for turns that name none; each turn takes the one it needs. */
  readonly autoLanes: readonly LaneName[];
  /** What a person should know about the choice. */
  readonly notes: readonly string[];
}

/** Shown wherever the lane is chosen. */
const UNOFFICIAL =
  "The api lane is unofficial: it speaks Cursor's own protocol, which Cursor neither documents nor supports for others.";

/** Both are Cursor's own program: print mode for everyday turns, ACP when its agent must ask a person. */
const ofTheCli = { lane: "cli", autoLanes: ["cli", "acp"], notes: [] } as const;

/** Chooses the lanes for turns: `auto` means Cursor's own CLI if installed. The one rule for every command. */
export async function chooseLane(config: Config, cli: AgentHost): Promise<LaneChoice> {
  const { lane } = config;
  if (lane !== "auto") return { lane, autoLanes: [lane], notes: lane === "api" ? [UNOFFICIAL] : [] };
  // Entries can name the user's own programs, which do not speak ACP.
  if (Object.keys(config.models).length > 0) return { ...ofTheCli, autoLanes: ["cli"] };
  if (config.cli.command !== undefined) return ofTheCli;
  try {
    await cli.resolveLaunch(undefined);
    return ofTheCli;
  } catch (reason) {
    const { upstream } = CaretError.from(reason);
    const note =
      "No Cursor agent CLI was found, so turns are simulated. Install it, or set `cli.command`, for real ones.";
    return { lane: "sim", autoLanes: ["sim"], notes: upstream === undefined ? [note] : [note, `${upstream}.`] };
  }
}
