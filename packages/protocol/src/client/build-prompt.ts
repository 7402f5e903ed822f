import type { TranscriptTurn } from "../transcript/transcript.ts";

/** The prompt that tells an agent to carry out its plan. The agent has the plan in its chat; the name says which one if it made several. */
export function buildPrompt({ items }: Pick<TranscriptTurn, "items">): string {
  const plan = items.findLast((item) => item.kind === "plan")?.plan;
  return plan?.name === undefined ? "Carry out the plan." : `Carry out the plan “${plan.name}”.`;
}
