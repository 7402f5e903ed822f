import { Worker } from "node:worker_threads";
import { CaretError } from "@caret/protocol";

/** More than any legitimate question needs, and small enough to survive a malicious one. */
const MAX_HEAP_MB = 512;

/**
 * A thread for work that takes long in one step or could hang: a disk sync; a regular expression or a parser with untrusted input, where
 * only killing the thread helps. The event loop is not affected.
 */
export interface WorkerThread<Question, Answer> {
  /** One at a time. Rejects if the thread fails or the signal fires; the thread is then gone. */
  ask(question: Question): Promise<Answer>;
  close(): Promise<void>;
}

/** `entry` answers every message with one message. A thread that is not held does not keep this process alive. */
export function startWorkerThread<Question, Answer>(
  entry: URL,
  signal: AbortSignal,
  { isHeld = true }: { readonly isHeld?: boolean } = {},
): WorkerThread<Question, Answer> {
  const worker = new Worker(entry, {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
  });
  if (!isHeld) worker.unref();
  // Between calls no listener is set; an error surfaces at the next call, as the exit.
  worker.on("error", () => undefined);

  const ask = (question: Question): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const settle = (act: () => void): void => {
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        signal.removeEventListener("abort", onAbort);
        act();
      };
      const onMessage = (answer: Answer): void => settle(() => resolve(answer));
      const onError = (cause: unknown): void =>
        settle(() => reject(new CaretError("upstream-error", "The work failed in its thread", { cause })));
      const onExit = (): void => settle(() => reject(new CaretError("upstream-error", "The thread has ended")));
      const onAbort = (): void => {
        settle(() => reject(signal.reason));
        void worker.terminate();
      };
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      signal.addEventListener("abort", onAbort);
      if (signal.aborted) onAbort();
      else worker.postMessage(question);
    });

  return {
    ask,
    async close() {
      await worker.terminate();
    },
  };
}
