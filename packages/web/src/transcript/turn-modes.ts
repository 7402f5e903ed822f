import type { StartTurn, TranscriptTurn } from "@caret/protocol";

export type TurnMode = NonNullable<StartTurn["mode"]>;

export const turnModes: readonly TurnMode[] = ["agent", "plan", "ask"];

export const modeLabels: Readonly<Record<TurnMode, string>> = { agent: "Agent", plan: "Plan", ask: "Ask" };

export const modeMeanings: Readonly<Record<TurnMode, string>> = {
  agent: "The agent does the work",
  plan: "The agent reads and makes a plan; it changes nothing",
  ask: "The agent reads and answers; it changes nothing",
};

/** A session goes on in the mode of its last turn until another one is chosen. */
export function modeOfTurns(turns: readonly TranscriptTurn[]): TurnMode {
  return turns.at(-1)?.start?.mode ?? "agent";
}

/** As a turn or a queued prompt names it; `agent` goes without saying. */
export function modeField(mode: TurnMode): { readonly mode?: "plan" | "ask" } {
  return mode === "agent" ? {} : { mode };
}
