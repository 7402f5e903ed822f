import type { SessionStatus, Transcript } from "@caret/protocol";

/**
 * The turn that is under way. Log and list arrive separately: the log is ahead when a turn ends, the list when one begins.
 */
export function runningTurnId({ turns }: Transcript, status: SessionStatus | undefined): string | undefined {
  const last = turns.at(-1);
  if (last !== undefined && last.outcome === undefined) return last.turnId;
  if (status?.kind !== "running" && status?.kind !== "waiting") return undefined;
  return turns.some(({ turnId }) => turnId === status.turnId) ? undefined : status.turnId;
}

/** Whether the turn belongs to another process, `caret run` in a terminal for one: it cannot be stopped or steered here. */
export function runsElsewhere(status: SessionStatus): boolean {
  return status.kind === "running" && status.elsewhere === true;
}
