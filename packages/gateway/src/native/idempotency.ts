import { createHash } from "node:crypto";
import type { CommandKey, CommandRecord } from "@caret/protocol";
import { refusalWith, toKnownError } from "../http/refusals.ts";

const MAX_KEPT = 1000;
const KEPT_MS = 24 * 3_600_000;

export interface Attempt {
  /** The client's `idempotency-key`. Without one the command is always performed. */
  readonly key: string | undefined;
  /** Token, method and path: the same key in another scope is another key. */
  readonly scope: string;
  /** A digest of the body. */
  readonly digest: string;
  /** Resolves to the body of the answer. Gets the command's key if `recall` exists, to record it in the log. */
  readonly perform: (command: CommandKey | undefined) => Promise<unknown>;
  /** Makes the answer from the log's record of the command. If absent, the command is not recorded there. */
  readonly recall: ((done: CommandRecord) => Promise<unknown>) | undefined;
}

/**
 * Performs each command once per key: a client that got no answer sends the command again and gets the first answer, also while the first
 * is still running. Retryable and internal failures are not remembered. Commands that start turns or that create or delete sessions are
 * also recorded in the log, so a retry after a restart or a crash does not repeat them.
 */
export interface Idempotency {
  /** Rejects as the command did, or with 422 if the key was used with another body. */
  once(attempt: Attempt): Promise<Answered>;
}

interface Kept {
  readonly at: number;
  readonly digest: string;
  readonly answer: Promise<Answered>;
}

interface Answered {
  readonly answer: unknown;
  readonly isReplayed: boolean;
}

export interface IdempotencyOptions {
  readonly now: () => number;
  readonly findCommand: (name: string) => Promise<CommandRecord | undefined>;
}

export function createIdempotency({ now, findCommand }: IdempotencyOptions): Idempotency {
  const kept = new Map<string, Kept>();

  /** Oldest first: a Map iterates in insertion order. */
  function forgetOld(): void {
    for (const [name, { at }] of kept) {
      if (kept.size < MAX_KEPT && now() - at < KEPT_MS) return;
      kept.delete(name);
    }
  }

  async function recallOrPerform(name: string, { digest, perform, recall }: Attempt): Promise<Answered> {
    if (recall === undefined) return { answer: await perform(undefined), isReplayed: false };
    const command = { name: createHash("sha256").update(name).digest("base64url"), digest };
    const done = await findCommand(command.name);
    if (done === undefined) return { answer: await perform(command), isReplayed: false };
    if (done.digest !== digest) throw otherBody();
    return { answer: await recall(done), isReplayed: true };
  }

  function begin(name: string, attempt: Attempt): Promise<Answered> {
    const entry: Kept = { at: now(), digest: attempt.digest, answer: recallOrPerform(name, attempt) };
    kept.set(name, entry);
    entry.answer.catch((reason: unknown) => {
      if (isRetryable(reason) && kept.get(name) === entry) kept.delete(name);
    });
    return entry.answer;
  }

  return {
    async once(attempt) {
      const { key, scope, digest, perform } = attempt;
      if (key === undefined) return { answer: await perform(undefined), isReplayed: false };
      forgetOld();
      const name = `${scope} ${key}`;
      const known = kept.get(name);
      if (known === undefined) return await begin(name, attempt);
      if (known.digest !== digest) throw otherBody();
      return { ...(await known.answer), isReplayed: true };
    },
  };
}

function otherBody(): Error {
  return refusalWith(422, "idempotency-key: was used before, with another body.");
}

function isRetryable(reason: unknown): boolean {
  const { error } = toKnownError(reason);
  return error.retryable || error.code === "internal";
}
