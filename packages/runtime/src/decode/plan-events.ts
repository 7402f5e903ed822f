import { isJsonObject, type JsonObject } from "@caret/protocol";
import { objectsField, textField, wordField } from "./read-fields.ts";
import { type Draft, remember, type TurnState } from "./turn-draft.ts";

/** A plan already shown, so other lines that carry it are not shown again. */
export interface ShownPlan {
  readonly callId: string | undefined;
  readonly text: string;
  readonly isFromQuery: boolean;
}

export interface PlanSource {
  readonly callId: string | undefined;
  /** The arguments of `createPlan`, wherever they came from. */
  readonly args: unknown;
  /** A query's call id may be missing, or spelled differently from the call's. */
  readonly isFromQuery?: boolean;
  /** No later line will carry the text: if it is missing, the steps are the plan. */
  readonly isLast?: boolean;
}

/**
 * Shows a plan once. In plan mode it is the whole answer, and depending on the version its text is in the query, the call's start, its
 * completion, or several of them.
 */
export function writePlan(draft: Draft<TurnState>, source: PlanSource): void {
  const { callId, args, isFromQuery = false, isLast = false } = source;
  const plan = isJsonObject(args) ? args : undefined;
  const text = textOf(plan, isLast);
  if (text === "" || draft.memory.plans.some((shown) => isSamePlan(shown, { callId, text, isFromQuery }))) return;
  remember(draft, { plans: [...draft.memory.plans, { callId, text, isFromQuery }] });
  const name = wordField(plan, "name");
  const overview = wordField(plan, "overview");
  draft.events.push({
    type: "plan",
    ...(callId === undefined ? {} : { callId }),
    text,
    ...(name === undefined ? {} : { name }),
    ...(overview === undefined ? {} : { overview }),
  });
}

function isSamePlan(shown: ShownPlan, plan: ShownPlan): boolean {
  if (plan.callId !== undefined && shown.callId === plan.callId) return true;
  return shown.text === plan.text && shown.isFromQuery !== plan.isFromQuery;
}

function textOf(plan: JsonObject | undefined, isLast: boolean): string {
  const text = textField(plan, "plan") ?? "";
  if (text.trim() !== "") return text;
  return isLast ? stepsOf(plan) : "";
}

/** The steps as a list: each phase under its name, then steps without a phase. */
function stepsOf(plan: JsonObject | undefined): string {
  const phases = objectsField(plan, "phases").map((phase) =>
    [wordField(phase, "name") ?? "", ...stepLines(phase)].filter((line) => line !== "").join("\n"),
  );
  return [...phases, stepLines(plan).join("\n")].filter((part) => part !== "").join("\n\n") || overviewOf(plan);
}

function stepLines(holder: JsonObject | undefined): readonly string[] {
  return objectsField(holder, "todos").flatMap((todo) => {
    const content = wordField(todo, "content");
    return content === undefined ? [] : [`- ${content}`];
  });
}

function overviewOf(plan: JsonObject | undefined): string {
  return (wordField(plan, "overview") ?? "").trim();
}
