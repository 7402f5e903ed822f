import type { TurnAsks } from "../session-engine.ts";

/** For a turn that asks no one. */
export const noAsks: TurnAsks = {
  open: () => [],
  onChange: () => () => undefined,
  answerApproval: () => undefined,
  answerQuestion: () => false,
};
