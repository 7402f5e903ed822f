import type { DoorRequest } from "./door-request.ts";

/**
 * Body fields that have no meaning for the agent, with the values that ask for nothing. Clients set them all the time, and an answer
 * without them is still the answer: so they are ignored and named in a header of the answer. Fields not listed are obeyed, rejected, or
 * irrelevant to the answer.
 */
export const ignorable: Readonly<Record<string, readonly unknown[]>> = {
  temperature: [1],
  top_p: [1],
  top_k: [],
  min_p: [],
  frequency_penalty: [0],
  presence_penalty: [0],
  repetition_penalty: [1],
  logit_bias: [],
  seed: [],
  verbosity: ["medium"],
  prediction: [],
  moderation: [],
  function_call: ["auto", "none"],
  web_search_options: [],
  include: [],
  image: [],
  max_tool_calls: [],
  truncation: ["disabled"],
  context_management: [],
  compaction: [],
  container: [],
  fallbacks: [],
  access_programs: [],
  inference_geo: [],
  service_tier: ["auto", "default", "standard_only"],
  speed: ["standard"],
};

export const IGNORED_HEADER = "x-caret-ignored";

export function ignoredFields(body: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(ignorable).flatMap(([name, neutral]) => {
    const value = body[name] ?? undefined;
    return value === undefined || neutral.includes(value) || isEmpty(value) ? [] : [name];
  });
}

function isEmpty(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).length === 0;
}

/** The header that lists what was ignored; undefined if nothing was. */
export function ignoredHeader(request: Pick<DoorRequest, "ignored" | "unavailableTools">): string | undefined {
  const { ignored, unavailableTools } = request;
  const names = [...ignored, ...unavailableTools.map((type) => `tools[${type.slice(0, 60)}]`)];
  // Clients may write anything, but headers cannot contain it.
  return names.length === 0 ? undefined : names.map((name) => name.replaceAll(/[^\w.[\]-]/g, "_")).join(", ");
}
