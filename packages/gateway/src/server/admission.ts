import { CaretError } from "@caret/protocol";

export interface AdmissionLimits {
  /** Answers being written at once, of all callers together. */
  readonly maxTurns: number;
  readonly maxTurnsPerToken: number;
}

export interface Admission {
  /** Takes a place and returns how to give it back, which may be done twice. Throws `overloaded` when there is none. */
  enter(tokenName: string): () => void;
  readonly running: number;
}

/** Nobody waits in a queue here: a client that is told to come back in a second costs nothing meanwhile. */
export function createAdmission({ maxTurns, maxTurnsPerToken }: AdmissionLimits): Admission {
  const byToken = new Map<string, number>();
  let running = 0;

  function leave(tokenName: string): void {
    running -= 1;
    const left = (byToken.get(tokenName) ?? 1) - 1;
    if (left === 0) byToken.delete(tokenName);
    else byToken.set(tokenName, left);
  }

  return {
    get running() {
      return running;
    },
    enter(tokenName) {
      const own = byToken.get(tokenName) ?? 0;
      if (running >= maxTurns) throw new CaretError("overloaded", "All places for turns are taken.");
      if (own >= maxTurnsPerToken) throw new CaretError("overloaded", "This token has too many turns at once.");
      running += 1;
      byToken.set(tokenName, own + 1);
      let left = false;
      return () => {
        if (!left) leave(tokenName);
        left = true;
      };
    },
  };
}
