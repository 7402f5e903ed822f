import { createHash } from "node:crypto";
import type { CommandKey, CommandRecord } from "@caret/protocol";
import { refusalWith, toKnownError } from "../http/known-error.ts";

const MAX_KEPT = 1000;
const KEPT_MS = 24 * 3_600_000;

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
  /** Given the command when it is to be recorded in the log, which is where `recall` exists. */
  readonly perform: (command: CommandKey | undefined) => Promise<Answer>;
  /** The answer to a command that the log has a record of. Absent: this command is not recorded there. */
  readonly recall?: (done: CommandRecord) => Promise<Answer>;
}

/**
 * Does each command once, however often it is sent with the same key: a client that got no answer sends it again and gets
 * the answer of the first time, also while that is still under way. What failed and may well succeed when it is tried
 * again is not remembered. What begins turns or makes and deletes sessions is recorded in the log too, so that it is done
 * once although the gateway was restarted or killed in between.
 */
export interface Idempotency {
  /** Rejects with what the command rejected with, and with 422 when the key came with another body before. */
  once(attempt: Attempt): Promise<{ readonly answer: Answer; readonly isReplayed: boolean }>;
}

interface Kept {
  readonly at: number;
  readonly digest: string;
  readonly answer: Promise<Answered>;
}

interface Answered {
  readonly answer: Answer;
  readonly isReplayed: boolean;
}

export interface IdempotencyOptions {
  readonly now: () => number;
  readonly findCommand: (name: string) => Promise<CommandRecord | undefined>;
}

export function createIdempotency({ now, findCommand }: IdempotencyOptions): Idempotency {
  const kept = new Map<string, Kept>();

  /** Oldest first, which is how a map keeps them. */
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
      if (mayBeTriedAgain(reason) && kept.get(name) === entry) kept.delete(name);
    });
    return entry.answer;
  }

  return {
    async once(attempt) {
      const { key, place, digest, perform } = attempt;
      if (key === undefined) return { answer: await perform(undefined), isReplayed: false };
      forgetOld();
      const name = `${place} ${key}`;
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

function mayBeTriedAgain(reason: unknown): boolean {
  const { error } = toKnownError(reason);
  return error.retryable || error.code === "internal";
}
