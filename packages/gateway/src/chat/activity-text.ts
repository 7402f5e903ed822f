import { type AgentEvent, type AgentEventOf, mainArgument, oneLine } from "@caret/protocol";

/** How a door shows what the agent does with its own tools. */
export type ActivityDisplay = "reasoning" | "text" | "none";

const MAX_LINE = 200;

/** Notices that change what the person is getting; the others are for our log. */
const SHOWN_NOTICES: ReadonlySet<string> = new Set([
  "model-fallback",
  "lane-fallback",
  "resume-lost",
  "loop-warning",
  "budget-warning",
]);

/**
 * A line for a person about what the agent is doing, or nothing when the event is not worth one. Never a call that a
 * client would execute: those are owned by the client and are no activity.
 */
export function activityText(event: AgentEvent): string | undefined {
  switch (event.type) {
    case "tool-call":
      return event.owner === "client" ? undefined : callLine(event);
    case "tool-result":
      return event.status === "ok"
        ? undefined
        : `  ${event.status}: ${oneLine(event.output, MAX_LINE) || "no reason given"}\n`;
    case "notice":
      return SHOWN_NOTICES.has(event.kind) ? `[${oneLine(event.message, MAX_LINE)}]\n` : undefined;
    default:
      return undefined;
  }
}

function callLine(call: AgentEventOf<"tool-call">): string {
  const { name, server } = call;
  const tool = server === undefined ? name : `${server}/${name}`;
  const about = oneLine(mainArgument(call), MAX_LINE);
  return about === "" ? `→ ${tool}\n` : `→ ${tool}: ${about}\n`;
}
