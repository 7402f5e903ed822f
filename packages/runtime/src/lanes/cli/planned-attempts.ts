import { CaretError } from "@caret/protocol";
import type { RotationPlan } from "../../profiles/rotation.ts";
import type { LaneRequest } from "../lane.ts";
import type { AgentHost } from "./agent-host.ts";
import { type AgentProgram, findProgram } from "./agent-program.ts";

/** A model without profiles logs in however the CLI does by default. */
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

/** An unknown model has no profiles and no fallbacks; the attempt itself reports what is wrong with it. */
export function programOf(model: string, host: AgentHost): Pick<AgentProgram, "profiles" | "fallbackModels" | "style"> {
  try {
    return findProgram(model, host.programs);
  } catch (reason) {
    if (CaretError.is(reason)) return { profiles: [], fallbackModels: [], style: "official" };
    throw reason;
  }
}
