import { fromBinary } from "@bufbuild/protobuf";
import type { BidiAppendRequest } from "@caret/protocol/agent-api/bidi";
import { type AgentClientMessage, AgentClientMessageSchema } from "@caret/protocol/agent-api/run";

/**
 * The client messages of runs whose transport is HTTP/1.1: each comes by a call of its own, with a number, and in any
 * order, the first perhaps before its run was opened.
 */
export class AppendedRuns {
  readonly #runs = new Map<string, AppendedRun>();
  readonly #ended = new Set<string>();

  append({ requestId, appendSeqno, data, dataBinary }: BidiAppendRequest): void {
    const run = requestId?.requestId ?? "";
    // What comes after the end of a run, such as the last acknowledgements, has no reader.
    if (this.#ended.has(run)) return;
    const bytes = dataBinary.length > 0 ? dataBinary : Buffer.from(data, "hex");
    this.#of(run).add(Number(appendSeqno), fromBinary(AgentClientMessageSchema, bytes));
  }

  /** The run's messages by their numbers, from 0 on; it ends when the signal says so. */
  async *read(requestId: string, signal: AbortSignal): AsyncGenerator<AgentClientMessage> {
    const run = this.#of(requestId);
    try {
      yield* run.read(signal);
    } finally {
      this.#runs.delete(requestId);
      this.#ended.add(requestId);
    }
  }

  #of(requestId: string): AppendedRun {
    const found = this.#runs.get(requestId) ?? new AppendedRun();
    this.#runs.set(requestId, found);
    return found;
  }
}

class AppendedRun {
  readonly #waiting = new Map<number, AgentClientMessage>();
  #wake = Promise.withResolvers<void>();

  add(seqno: number, message: AgentClientMessage): void {
    this.#waiting.set(seqno, message);
    this.#wake.resolve();
  }

  async *read(signal: AbortSignal): AsyncGenerator<AgentClientMessage> {
    const wakeUp = () => this.#wake.resolve();
    signal.addEventListener("abort", wakeUp);
    for (let next = 0; !signal.aborted; ) {
      const message = this.#waiting.get(next);
      if (message === undefined) {
        this.#wake = Promise.withResolvers();
        await this.#wake.promise;
        continue;
      }
      this.#waiting.delete(next);
      next += 1;
      yield message;
    }
    signal.removeEventListener("abort", wakeUp);
  }
}
