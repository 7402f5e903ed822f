import { refusalWith, toKnownError } from "../http/known-error.ts";

const MAX_KEPT = 1000;
const KEPT_MS = 24 * 3_600_000;
const KEY = /^[\x21-\x7e]{1,255}$/;

/** What a command is answered with. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
}

export interface Attempt {
  /** The client's own name for this command. Without one it is simply done. */
  readonly key: string | undefined;
  /** Whose command it is, and which: keys of different tokens, methods or paths are different keys. */
  readonly place: string;
  /** Tells one body from another. */
  readonly digest: string;
  readonly perform: () => Promise<Answer>;
}

/**
 * Does each command once, however often it is sent with the same key: a client that got no answer sends it again and gets
 * the answer of the first time, also while that is still under way. What failed and may well succeed when it is tried
 * again is not remembered.
 */
export interface Idempotency {
  /** Rejects with what the command rejected with, and with 422 when the key came with another body before. */
  once(attempt: Attempt): Promise<{ readonly answer: Answer; readonly isReplayed: boolean }>;
}

interface Kept {
  readonly at: number;
  readonly digest: string;
  readonly answer: Promise<Answer>;
}

export function createIdempotency({ now }: { readonly now: () => number }): Idempotency {
  const kept = new Map<string, Kept>();

  /** Oldest first, which is how a map keeps them. */
  function forgetOld(): void {
    for (const [name, { at }] of kept) {
      if (kept.size < MAX_KEPT && now() - at < KEPT_MS) return;
      kept.delete(name);
    }
  }

  function begin(name: string, { digest, perform }: Attempt): Promise<Answer> {
    const entry: Kept = { at: now(), digest, answer: perform() };
    kept.set(name, entry);
    entry.answer.catch((reason: unknown) => {
      if (mayBeTriedAgain(reason) && kept.get(name) === entry) kept.delete(name);
    });
    return entry.answer;
  }

  return {
    async once(attempt) {
      const { key, place, digest, perform } = attempt;
      if (key === undefined) return { answer: await perform(), isReplayed: false };
      if (!KEY.test(key)) throw refusalWith(400, "idempotency-key: must be 1 to 255 visible characters.");
      forgetOld();
      const name = `${place} ${key}`;
      const known = kept.get(name);
      if (known === undefined) return { answer: await begin(name, attempt), isReplayed: false };
      if (known.digest !== digest) throw refusalWith(422, "idempotency-key: was used before, with another body.");
      return { answer: await known.answer, isReplayed: true };
    },
  };
}

function mayBeTriedAgain(reason: unknown): boolean {
  const { error } = toKnownError(reason);
  return error.retryable || error.code === "internal";
}
