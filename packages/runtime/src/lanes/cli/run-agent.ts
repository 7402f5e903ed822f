import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent, CaretError, ErrorInfo } from "@caret/protocol";
import { nextChunk } from "../../async/next-chunk.ts";
import type { Decoder } from "../../decode/decoder.ts";
import type { Ending } from "../../decode/dialect.ts";
import type { ChildExit, ChildHandle, StopStages } from "../../process/child-handle.ts";
import type { TurnClocks } from "./turn-clocks.ts";

export interface AgentRun {
  readonly child: ChildHandle;
  readonly decoder: Decoder;
  readonly clocks: TurnClocks;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly graceMs: number;
  /** How long an agent that has closed its output may live on before its turn is judged without its exit. */
  readonly lingerMs: number;
  /** A last message for an agent that is to be stopped, where its protocol has one. */
  readonly cancelMessage: string | undefined;
  /** What an exit without a result means. */
  readonly judgeExit: (exit: ChildExit, child: ChildHandle, saidAnything: boolean) => Ending;
}

const CANCEL_MS = 1_000;
/** What is supposed of an agent that closed its output in peace and does not leave. */
const peacefulExit: ChildExit = { kind: "exited", code: 0, signal: null };

/**
 * Read an agent until its turn ends. The turn ends with its own last event, not with the process: the `turn-end` is given
 * at once, and only then the process gets a moment to leave by itself before it is made to.
 */
export async function* runAgent(run: AgentRun): AsyncGenerator<readonly AgentEvent[], void, undefined> {
  const { child, decoder, clocks } = run;
  const output = child.stdout[Symbol.asyncIterator]();
  let stopping: string | undefined;
  let saidAnything = false;
  try {
    let pull = output.next();
    while (!decoder.hasEnded) {
      const next = await nextChunk(pull, { waitMs: clocks.deadline() - run.now(), signal: run.signal });
      if (next.kind !== "chunk") {
        stopping = next.kind;
        yield decoder.finish(await endingOf(run, next.kind, saidAnything));
        return;
      }
      saidAnything = true;
      const events = decoder.push(next.chunk);
      clocks.note(events);
      if (!decoder.hasEnded) pull = output.next();
      if (events.length > 0) yield events;
    }
  } finally {
    // Unread output is dropped from here on, so that the agent does not wait for a reader.
    void output.return?.();
    await leave(run, decoder.hasEnded && stopping === undefined, stopping);
  }
}

async function endingOf(run: AgentRun, kind: "end" | "expired" | "aborted", saidAnything: boolean): Promise<Ending> {
  if (kind === "aborted") return { kind: "cancelled" };
  if (kind === "expired") return failed(run.clocks.expired(), run.child.stderrTail());
  const timer = new AbortController();
  const stopped = AbortSignal.any([timer.signal, run.signal]);
  const lingered = sleep(run.lingerMs, peacefulExit, { signal: stopped, ref: false }).catch(() => undefined);
  const exit = await Promise.race([run.child.exit, lingered]);
  timer.abort();
  return exit === undefined ? { kind: "cancelled" } : run.judgeExit(exit, run.child, saidAnything);
}

export function failed(error: CaretError, stderr: string): Ending {
  const info: ErrorInfo = error.toInfo();
  const upstream = stderr.trim().slice(-2_000);
  return { kind: "failed", error: info.upstream === undefined && upstream !== "" ? { ...info, upstream } : info };
}

/** An agent whose turn is over may leave by itself for a moment; any other is stopped in stages. */
async function leave(
  { child, graceMs, cancelMessage }: AgentRun,
  isDone: boolean,
  reason = "the turn is over",
): Promise<void> {
  if (isDone) {
    const timer = new AbortController();
    const waited = sleep(graceMs, undefined, { signal: timer.signal, ref: false }).catch(() => undefined);
    await Promise.race([child.exit, waited]);
    timer.abort();
  }
  const stages: StopStages = { reason, graceMs };
  const cancel = isDone || cancelMessage === undefined ? {} : { cancel: cancelMessage, cancelMs: CANCEL_MS };
  await child.stop({ ...stages, ...cancel });
}
