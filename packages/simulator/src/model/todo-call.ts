import type { FollowOptions } from "./follow-steps.ts";
import type { ModelCall, Step } from "./model.ts";
import { describeIntent } from "./phrasing.ts";
import type { TurnView } from "./turn-rounds.ts";

/** Fewer steps than this need no list. */
const MIN_STEPS = 3;

interface TodoCalls {
  /** Goes with the first calls of the turn. */
  readonly opening: () => ModelCall | undefined;
  /** Comes when all steps are through. */
  readonly closing: () => ModelCall | undefined;
}

/** A longer task gets a list of todos at its start and has it ticked off at its end. */
export function todoCall(steps: readonly Step[], view: TurnView, { request, side }: FollowOptions): TodoCalls {
  // Where others run the tools, the agent's own are switched off, this one too.
  const isWanted = side === "native" && steps.length >= MIN_STEPS && request.nativeTools.includes("updateTodos");
  const updates = view.rounds
    .flatMap(({ results }) => results)
    .filter(({ call }) => call.name === "updateTodos").length;
  const items = (status: (index: number) => string) =>
    steps.map((step, index) => ({
      id: String(index + 1),
      content: step.map(describeIntent).join(" and "),
      status: status(index),
    }));
  return {
    opening: () => {
      if (!isWanted || view.rounds.length > 0) return undefined;
      const todos = items((index) => (index === 0 ? "in_progress" : "pending"));
      return { name: "updateTodos", args: { todos, merge: false } };
    },
    closing: () => {
      if (!isWanted || updates !== 1) return undefined;
      return { name: "updateTodos", args: { todos: items(() => "completed"), merge: true } };
    },
  };
}
