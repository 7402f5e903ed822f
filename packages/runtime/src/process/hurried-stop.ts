import { CaretError } from "@caret/protocol";

/** A stop that cannot wait as long as others: another worker may begin a turn in the same workspace. */
export class HurriedStop extends CaretError {
  /** How long what works for the turn has to heed it. */
  readonly graceMs: number;

  constructor(graceMs: number, ...error: ConstructorParameters<typeof CaretError>) {
    super(...error);
    this.graceMs = graceMs;
  }
}

export function isHurried({ reason }: AbortSignal): boolean {
  return CaretError.is(reason) && "graceMs" in reason;
}

/** How long what works for a turn has to heed the stop of its signal: what is usual, unless who stopped it cannot wait so long. */
export function graceOfStop(signal: AbortSignal, usualMs: number): number {
  return isHurried(signal) ? Math.min((signal.reason as HurriedStop).graceMs, usualMs) : usualMs;
}
