import { CaretError } from "@caret/protocol";
import type { RotationPlan } from "../../profiles/rotation.ts";
import type { LaneRequest } from "../lane.ts";
import type { AgentHost } from "./agent-host.ts";
import { type AgentProgram, findProgram } from "./agent-program.ts";

/** Without profiles of its own a model logs in however the CLI does by itself. */
const DEFAULT_PROFILE = "default";

/** The logins and models that a turn may try, one after the other. */
export function plannedAttempts(
  request: Pick<LaneRequest, "model">,
  host: AgentHost,
): Pick<RotationPlan, "profiles" | "models"> {
  const { profiles, fallbackModels } = programOf(request.model, host);
  const [first = DEFAULT_PROFILE, ...others] = profiles;
  return { profiles: [first, ...others], models: [request.model, ...fallbackModels] };
}

/** A model that cannot be found has no profiles and no fallbacks; the attempt itself will say what is wrong with it. */
export function programOf(model: string, host: AgentHost): Pick<AgentProgram, "profiles" | "fallbackModels" | "style"> {
  try {
    return findProgram(model, host.programs);
  } catch (reason) {
    if (CaretError.is(reason)) return { profiles: [], fallbackModels: [], style: "official" };
    throw reason;
  }
}
