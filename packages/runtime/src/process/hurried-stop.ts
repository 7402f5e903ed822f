import { CaretError } from "@caret/protocol";

/** A stop with a shorter grace than usual: another worker may begin a turn in the same workspace. */
export class HurriedStop extends CaretError {
  /** Grace for whatever works for the turn. */
  readonly graceMs: number;

  constructor(graceMs: number, ...error: ConstructorParameters<typeof CaretError>) {
    super(...error);
    this.graceMs = graceMs;
  }
}

export function isHurried({ reason }: AbortSignal): boolean {
  return CaretError.is(reason) && "graceMs" in reason;
}

/** The grace for the work of a stopped turn: the usual one, unless the stop is hurried. */
export function graceOfStop(signal: AbortSignal, usualMs: number): number {
  return isHurried(signal) ? Math.min((signal.reason as HurriedStop).graceMs, usualMs) : usualMs;
}
