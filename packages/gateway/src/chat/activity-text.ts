import { type AgentEvent, type AgentEventOf, type ConversationRequest, mainArgument, oneLine } from "@caret/protocol";

/** How a door shows what the agent does with its own tools. */
export type ActivityDisplay = "reasoning" | "text" | "none";

/** The same for one answer; the last two also omit the agent's thoughts. */
export type AnswerDisplay = ActivityDisplay | "text-alone" | "words";

/** A request without reasoning gets none, nor anything that looks like it. An answer that must be JSON gets nothing else in its text. */
export function displayOf(
  { requestedModel, format }: Pick<ConversationRequest, "requestedModel" | "format">,
  configured: ActivityDisplay,
): AnswerDisplay {
  const display = configured === "text" && format !== undefined ? "reasoning" : configured;
  if (requestedModel.thinking !== false) return display;
  return display === "text" ? "text-alone" : "words";
}

const MAX_LINE = 200;

/** Notices that change what the person gets; the others are only logged. */
const SHOWN_NOTICES: ReadonlySet<string> = new Set([
  "model-fallback",
  "lane-fallback",
  "resume-lost",
  "loop-warning",
  "budget-warning",
]);

/**
 * A line for a person about what the agent is doing, or undefined if the event is not worth one. Never about a call that the client
 * executes: that is not the agent's activity.
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
