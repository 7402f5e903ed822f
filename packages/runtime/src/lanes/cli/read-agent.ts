import { setTimeout as sleep } from "node:timers/promises";
import type { CaretError, ErrorInfo } from "@caret/protocol";
import { ChunkWaiter } from "../../async/chunk-waiter.ts";
import { within } from "../../async/within.ts";
import type { Decoded, Decoder } from "../../decode/decoder.ts";
import type { Ending } from "../../decode/dialect.ts";
import type { UpstreamAttachment } from "../../log/event-store.ts";
import type { ChildExit, ChildHandle, StopStages } from "../../process/child-handle.ts";
import { type LaneEntry, outcomeOfStop } from "../lane.ts";
import type { OfferedTurn } from "./offered-turn.ts";
import type { TurnClocks } from "./turn-clocks.ts";
import type { VersionTeller } from "./version-probe.ts";

/** An agent that was started, and what its output passes on the way to the log. */
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
  /** Where the upstream keeps the session that the agent has named. */
  readonly attachmentOf: (sessionId: string) => UpstreamAttachment;
  readonly version: VersionTeller;
  readonly offered: OfferedTurn;
  /** Called when the agent has left after its turn in this upstream session. */
  readonly refill: (sessionId: string) => void;
}

const CANCEL_MS = 1_000;
/** What is supposed of an agent that closed its output in peace and does not leave. */
const peacefulExit: ChildExit = { kind: "exited", code: 0, signal: null };

/**
 * Read an agent until its turn ends: its bytes become entries for the log. The turn ends with its own last event, not with
 * the process: the `turn-end` is given at once, and only then the process gets a moment to leave by itself before it is
 * made to.
 */
export async function* readAgent(run: AgentRun): AsyncGenerator<readonly LaneEntry[], void, undefined> {
  const { child, decoder, clocks, version, offered } = run;
  const output = child.stdout[Symbol.asyncIterator]();
  const waiter = new ChunkWaiter(run.signal);
  const upstream = createUpstreamNote(run.attachmentOf);
  let stopping: "end" | "expired" | "aborted" | undefined;
  let saidAnything = false;
  try {
    let pull = output.next();
    while (!decoder.hasEnded) {
      const next = await waiter.next(pull, clocks.deadline() - run.now());
      if (next.kind !== "chunk") stopping = next.kind;
      const decoded =
        next.kind === "chunk" ? decoder.push(next.chunk) : decoder.finish(await endingOf(run, next.kind, saidAnything));
      saidAnything = true;
      clocks.note(decoded);
      if (!decoder.hasEnded) pull = output.next();
      else await version.lastChance();
      const shown = offered.show(version.tell(upstream.attach(decoded)));
      if (shown.length > 0) yield shown;
      offered.taken();
    }
  } finally {
    waiter.close();
    // Unread output is dropped from here on, so that the agent does not wait for a reader.
    void output.return?.();
    await leave(run, decoder.hasEnded && stopping === undefined, stopping).finally(offered.leave);
  }
  if (upstream.sessionId !== undefined) run.refill(upstream.sessionId);
}

/** Puts the place of the upstream session beside the event that names the session. */
function createUpstreamNote(attachmentOf: AgentRun["attachmentOf"]) {
  return {
    sessionId: undefined as string | undefined,
    attach(decoded: readonly Decoded[]): readonly LaneEntry[] {
      const index = decoded.findIndex(({ event }) => event.type === "session-ready" && event.sessionId !== undefined);
      const entry = decoded[index];
      if (entry?.event.type !== "session-ready" || entry.event.sessionId === undefined) return decoded;
      const { sessionId } = entry.event;
      this.sessionId = sessionId;
      return decoded.with(index, { ...entry, upstream: attachmentOf(sessionId) } as LaneEntry);
    },
  };
}

async function endingOf(run: AgentRun, kind: "end" | "expired" | "aborted", saidAnything: boolean): Promise<Ending> {
  if (kind === "aborted") return outcomeOfStop(run.signal);
  if (kind === "expired") return failed(run.clocks.expired(), run.child.stderrTail());
  const timer = new AbortController();
  const stopped = AbortSignal.any([timer.signal, run.signal]);
  const lingered = sleep(run.lingerMs, peacefulExit, { signal: stopped, ref: false }).catch(() => undefined);
  const exit = await Promise.race([run.child.exit, lingered]);
  timer.abort();
  return exit === undefined ? outcomeOfStop(run.signal) : run.judgeExit(exit, run.child, saidAnything);
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
  if (isDone) await within(child.exit, graceMs);
  const stages: StopStages = { reason, graceMs };
  const cancel = isDone || cancelMessage === undefined ? {} : { cancel: cancelMessage, cancelMs: CANCEL_MS };
  await child.stop({ ...stages, ...cancel });
}
