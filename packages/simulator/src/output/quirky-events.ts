import { isRecord } from "../json/json.ts";
import type { QuirkName } from "../scenario/scenario.ts";

type Event = Readonly<Record<string, unknown>>;
type Change = (event: Event) => Event | undefined;

const PLAN_KEY = "createPlanToolCall";
const PLAN_QUERY = "createPlanRequestQuery";

const changes: Partial<Record<QuirkName, Change>> = {
  "plan-in-completion": (event) => (event["subtype"] === "completed" ? event : withoutPlanText(event)),
  "plan-in-query": (event) => (event["type"] === "tool_call" && planCallOf(event) !== undefined ? undefined : event),
  "answers-without-arm": (event) => {
    const { response } = event;
    return isRecord(response) ? { ...event, response: { id: response["id"] } } : event;
  },
};

/** The event as a version with these quirks would print it; undefined when it would not. */
export function quirkyEvent(event: Event, quirks: readonly QuirkName[]): Event | undefined {
  return quirks.reduce<Event | undefined>((shaped, quirk) => {
    const change = changes[quirk];
    return shaped === undefined || change === undefined ? shaped : change(shaped);
  }, event);
}

function planCallOf({ tool_call: call }: Event): Event | undefined {
  const plan = isRecord(call) ? call[PLAN_KEY] : undefined;
  return isRecord(plan) ? plan : undefined;
}

function withoutPlanText(event: Event): Event {
  const plan = planCallOf(event);
  if (plan !== undefined)
    return { ...event, tool_call: { ...(event["tool_call"] as Event), [PLAN_KEY]: withEmptyPlan(plan) } };
  const { query } = event;
  const asked = isRecord(query) ? query[PLAN_QUERY] : undefined;
  return isRecord(asked) ? { ...event, query: { ...(query as Event), [PLAN_QUERY]: withEmptyPlan(asked) } } : event;
}

function withEmptyPlan(holder: Event): Event {
  return { ...holder, args: { ...(holder["args"] as Event), plan: "", todos: [] } };
}
