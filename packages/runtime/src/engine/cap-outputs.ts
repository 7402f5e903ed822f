import type { AgentEvent } from "@caret/protocol";

/** More than a person reads or a page shows. The agent itself has seen all of it. */
const MAX_OUTPUT_CHARACTERS = 1024 * 1024;

/**
 * What an agent's tools printed, up to a limit. A tool that prints fifty megabytes would otherwise have every byte of
 * them searched for secrets, logged and sent, while all other streams wait. Gives back the same array when nothing is cut.
 */
export function capOutputs(events: readonly AgentEvent[], limit = MAX_OUTPUT_CHARACTERS): readonly AgentEvent[] {
  const isTooLong = (event: AgentEvent): boolean => event.type === "tool-result" && event.output.length > limit;
  return events.some(isTooLong) ? events.map((event) => capOutput(event, limit)) : events;
}

function capOutput(event: AgentEvent, limit: number): AgentEvent {
  if (event.type !== "tool-result" || event.output.length <= limit) return event;
  const left = event.output.length - limit;
  return { ...event, output: `${event.output.slice(0, limit)}\n[${left} more characters were left out]` };
}
