import type { TranscriptTurn } from "../transcript/transcript.ts";

/** The words with which a plan is handed back to its agent. It has the plan in its chat; the name tells which one, where there were several. */
export function buildPrompt({ items }: Pick<TranscriptTurn, "items">): string {
  const plan = items.findLast((item) => item.kind === "plan")?.plan;
  return plan?.name === undefined ? "Carry out the plan." : `Carry out the plan “${plan.name}”.`;
}
