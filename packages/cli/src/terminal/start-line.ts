import { type AgentEventOf, spendWords } from "@caret/protocol";
import type { Look } from "./look.ts";
import { cleanLine } from "./text-cleaner.ts";

/** Which lane runs a turn and why, with which model, and what it draws from. */
export function startLine({ lane, laneReason, model }: AgentEventOf<"turn-start">, { style, glyphs }: Look): string {
  const why = lane === "sim" ? " (simulated)" : laneReason === undefined ? "" : ` (${laneReason})`;
  // A simulated turn draws from no pool.
  const spend = model === undefined || lane === "sim" ? [] : spendWords(model);
  const words = [`${lane} lane${why}`, ...(model === undefined ? [] : [model]), ...spend];
  return style.dim(`${glyphs.notice} ${words.map(cleanLine).join(` ${glyphs.separator} `)}`);
}
