import type { DoorRequest } from "./door-request.ts";

/**
 * Fields of a body that have no meaning for the agent, with the value that asks for nothing. Clients set them all the
 * time, and an answer without them is still the answer: so they are ignored, and the answer's head says which.
 */
const neutral: Readonly<Record<string, unknown>> = {
  temperature: 1,
  top_p: 1,
  top_k: undefined,
  frequency_penalty: 0,
  presence_penalty: 0,
  seed: undefined,
  verbosity: "medium",
  web_search_options: undefined,
  max_tool_calls: undefined,
  truncation: "disabled",
  context_management: undefined,
};

export const IGNORED_HEADER = "x-caret-ignored";

export function ignoredFields(body: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.keys(neutral).filter((name) => {
    const value = body[name] ?? undefined;
    return value !== undefined && value !== neutral[name];
  });
}

/** What the answer's head says was ignored; undefined when nothing was. */
export function ignoredHeader(request: Pick<DoorRequest, "ignored" | "unavailableTools">): string | undefined {
  const { ignored, unavailableTools } = request;
  const names = [...ignored, ...unavailableTools.map((type) => `tools[${type.slice(0, 60)}]`)];
  // What a client wrote may hold anything; a header may not.
  return names.length === 0 ? undefined : names.map((name) => name.replaceAll(/[^\w.[\]-]/g, "_")).join(", ");
}
