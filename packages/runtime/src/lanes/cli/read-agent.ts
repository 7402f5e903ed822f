import { setTimeout as sleep } from "node:timers/promises";
import type { CaretError, ErrorInfo, TakeBatch } from "@caret/protocol";
import { Alarm } from "../../async/alarm.ts";
import { within } from "../../async/within.ts";
import type { Decoded, Decoder } from "../../decode/decoder.ts";
import type { Ending } from "../../decode/dialect.ts";
import type { UpstreamAttachment } from "../../log/event-store.ts";
import type { ChildExit, ChildHandle, StopStages } from "../../process/child-handle.ts";
import { graceOfStop, isHurried } from "../../process/hurried-stop.ts";
import { type LaneEntry, outcomeOfStop, type TakeEntries } from "../lane.ts";
import { type AtWork, stopFirst } from "../stop-first.ts";
import type { TurnClocks } from "../turn-clocks.ts";
import { giveLast } from "./last-calls.ts";
import type { OfferedTurn } from "./offered-turn.ts";
import type { VersionReport } from "./version-probe.ts";

/** A started agent, and the stages its output passes on the way to the log. */
export interface AgentRun {
  readonly child: ChildHandle;
  readonly decoder: Decoder;
  readonly clocks: TurnClocks;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly graceMs: number;
  /** How long an agent that has closed its output may live on before its turn is judged without its exit. */
  readonly lingerMs: number;
  /** A last message for an agent to be stopped, if its protocol has one. */
  readonly cancelMessage: string | undefined;
  /** Interprets an exit without a result. */
  readonly judgeExit: (exit: ChildExit, child: ChildHandle, saidAnything: boolean) => Ending;
  /** Where upstream keeps the session that the agent named. */
  readonly attachmentOf: (sessionId: string) => UpstreamAttachment;
  readonly version: VersionReport;
  readonly offered: OfferedTurn;
  /** Called when the agent has left after its turn in this upstream session. */
  readonly refill: (sessionId: string) => void;
}

const CANCEL_MS = 1_000;
/** The exit assumed for an agent that closed its output normally but does not leave. */
const peacefulExit: ChildExit = { kind: "exited", code: 0, signal: null };

/**
 * Reads an agent until its turn ends, turning its bytes into log entries, each read in one go. The turn ends with its own last event, not
 * with the process: the `turn-end` is passed on at once, while the process gets a moment to leave before it is forced to. If the turn is
 * stopped or a clock ends it, the process is stopped before the rest is passed on.
 */
export async function readAgent(run: AgentRun, take: TakeEntries): Promise<void> {
  const { decoder, version, offered } = run;
  const upstream = createUpstreamNote(run.attachmentOf);
  const batches = (decoded: readonly Decoded[]): Promise<void> | void => {
    const shown = offered.show(version.addTo(upstream.attach(decoded)));
    const taken = shown.length > 0 ? take(shown) : undefined;
    return taken === undefined ? offered.taken() : taken.then(offered.taken);
  };
  // More text contains no session and no call, and the version can wait for the next batch.
  const give = Object.assign(batches, { more: take.more });
  await stopFirst(run.signal, agentAtWork(run), async (over) => {
    const read = await readUntilOver(run, give);
    const last = read.why === "ended" ? read.last : decoder.finish(await endingOf(run, read.why, read.saidAnything));
    // The program may have calls that still run. It leaves when they have ended, whether it reported being done or closed its output.
    const mayHaveCalls = offered.unfinished !== undefined && (read.why === "ended" || read.why === "end");
    if (!mayHaveCalls) over(read.why);
    await read.taken;
    await version.lastChance();
    const failureOf = (error: CaretError) => failed(error, run.child.stderrTail());
    await giveLast(run, last, { give, failureOf, leave: () => over("ended") });
  }).finally(offered.leave);
  if (upstream.sessionId !== undefined) run.refill(upstream.sessionId);
}

/** Why reading ended: the turn ended, the output ended, a clock expired, or the turn was stopped. */
interface Read {
  readonly why: "ended" | "end" | "expired" | "aborted";
  /** The batch that contains the turn's end. */
  readonly last: readonly Decoded[];
  readonly saidAnything: boolean;
  /** Settles when the earlier batches are taken. */
  readonly taken: Promise<void> | undefined;
}

/** Passes on the agent's output, up to the batch that ends its turn. One timer and one abort listener serve all of it. */
function readUntilOver(run: AgentRun, give: TakeBatch<readonly Decoded[]>): Promise<Read> {
  const { child, decoder, clocks, now, signal } = run;
  const { more: giveMore } = give;
  const { promise, resolve, reject } = Promise.withResolvers<Read>();
  let taking: Promise<void> | undefined;
  let isOver = false;
  let saidAnything = false;

  const end = (why: Read["why"], last: readonly Decoded[] = []): void => {
    if (isOver) return;
    isOver = true;
    alarm.close();
    signal.removeEventListener("abort", onAbort);
    taking?.catch(() => undefined); // the await below gets the reason
    resolve({ why, last, saidAnything, taken: taking });
  };
  const onAbort = (): void => end("aborted");
  const alarm = new Alarm(() => {
    if (taking !== undefined) return;
    // More text moves the deadline without resetting the alarm.
    const leftMs = clocks.deadline() - now();
    if (leftMs > 0) alarm.set(leftMs);
    else end("expired");
  });

  const onTaken = (): void => {
    taking = undefined;
    if (!isOver) alarm.set(clocks.deadline() - now());
  };
  const giveAll = (decoded: readonly Decoded[]): Promise<void> | void => {
    clocks.note(decoded);
    taking = give(decoded)?.then(onTaken);
    if (taking === undefined) alarm.set(clocks.deadline() - now());
    return taking;
  };
  const onChunk = (chunk: Uint8Array): Promise<void> | void => {
    if (isOver) return undefined;
    saidAnything = true;
    const more = decoder.more(chunk);
    if (more !== undefined) {
      clocks.noteMore();
      return giveMore?.(more) === true ? undefined : giveAll([{ event: more, raw: undefined }]);
    }
    const decoded = decoder.push(chunk);
    return decoder.hasEnded ? end("ended", decoded) : giveAll(decoded);
  };

  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  else alarm.set(clocks.deadline() - now());
  child.stdout.read(onChunk).then(
    () => end("end"),
    (reason: unknown) => {
      reject(reason);
      // Taking failed: no one would handle another promise of it.
      taking = undefined;
      end("aborted");
    },
  );
  return promise;
}

/** Attaches the upstream session's location to the event that names the session. */
function createUpstreamNote(attachmentOf: AgentRun["attachmentOf"]) {
  return {
    sessionId: undefined as string | undefined,
    attach(decoded: readonly Decoded[]): readonly LaneEntry[] {
      const index = decoded.findIndex(({ event }) => event.type === "session-ready" && event.sessionId !== undefined);
      const entry = decoded[index];
      if (entry?.event.type !== "session-ready" || entry.event.sessionId === undefined) return decoded;
      this.sessionId = entry.event.sessionId;
      return decoded.with(index, { ...entry, upstream: attachmentOf(this.sessionId) } as LaneEntry);
    },
  };
}

async function endingOf(run: AgentRun, kind: Exclude<Read["why"], "ended">, saidAnything: boolean): Promise<Ending> {
  if (kind === "aborted") return outcomeOfStop(run.signal);
  if (kind === "expired") return failed(run.clocks.expired(), run.child.stderrTail());
  const timer = new AbortController();
  const stopped = AbortSignal.any([timer.signal, run.signal]);
  const lingered = sleep(run.lingerMs, peacefulExit, { signal: stopped, ref: false }).catch(() => undefined);
  const exit = await Promise.race([run.child.exit, lingered]);
  timer.abort();
  return exit === undefined ? outcomeOfStop(run.signal) : run.judgeExit(exit, run.child, saidAnything);
}

export function failed(error: CaretError, stderr: string): Extract<Ending, { kind: "failed" }> {
  const info: ErrorInfo = error.toInfo();
  const upstream = stderr.trim().slice(-2_000);
  return { kind: "failed", error: info.upstream === undefined && upstream !== "" ? { ...info, upstream } : info };
}

/** Stops the process in stages, or gives it a moment to leave if its turn has ended by itself. */
function agentAtWork({ child, graceMs, cancelMessage, signal, offered }: AgentRun): AtWork {
  const end = async (stages: StopStages): Promise<void> => {
    // Drop unread output from here on, so the agent does not wait for a reader.
    child.stdout.drop();
    await child.stop(stages);
  };
  return {
    stop(reason) {
      offered.leave();
      const cancels = cancelMessage !== undefined && !isHurried(signal);
      const cancel = cancels ? { cancel: cancelMessage, cancelMs: CANCEL_MS } : {};
      return end({ reason, graceMs: graceOfStop(signal, graceMs), ...cancel });
    },
    async leave() {
      child.stdout.drop();
      await within(child.exit, graceMs);
      await end({ reason: "the turn is over", graceMs });
    },
  };
}
