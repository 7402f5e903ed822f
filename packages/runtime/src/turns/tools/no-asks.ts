import type { TurnAsks } from "../session-engine.ts";

/** Of a turn that asks nobody. */
export const noAsks: TurnAsks = {
  open: () => [],
  onChange: () => () => undefined,
  answerApproval: () => undefined,
  answerQuestion: () => false,
};
