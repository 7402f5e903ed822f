import { setTimeout as sleep } from "node:timers/promises";
import { CaretError } from "@caret/protocol";
import { ChunkWaiter, type NextChunk } from "../../async/chunk-waiter.ts";
import type { Decoded } from "../../decode/decoder.ts";
import { type LaneEntry, outcomeOfStop, type TakeEntries } from "../lane.ts";
import { type Over, stopFirst } from "../stop-first.ts";
import { createTurnClocks, type TurnClocks } from "../turn-clocks.ts";
import type { LiveRead, LiveRun } from "./live-run.ts";
import type { ApiRun } from "./open-run.ts";
import { createRunRecovery, type Recovery, type RunAction } from "./run-recovery.ts";
import type { StreamRead } from "./transport/message-stream.ts";
import type { StreamEnd } from "./transport/stream-end.ts";

/**
 * Reads a run until its turn ends, turning its messages into log entries. A broken stream resumes from the last checkpoint, or restarts as
 * long as the turn has not acted. The `turn-end` is passed on as soon as upstream has ended the turn; what it still saves is accepted for
 * a moment longer.
 */
export async function readRun(run: ApiRun, take: TakeEntries): Promise<void> {
  const reader = createRunReader(run);
  const given = Promise.withResolvers<boolean>();
  const stop = async (): Promise<void> => {
    reader.stop();
    run.leave();
  };
  // Calls without a result by then get one with the turn's end.
  const leave = async (): Promise<void> => {
    if (await given.promise) await reader.linger();
    await stop();
  };
  await stopFirst(run.signal, { stop, leave }, async (over) => {
    try {
      await giveAll(run, reader, take, over);
      given.resolve(true);
    } finally {
      given.resolve(false);
    }
  }).finally(reader.close);
}

async function giveAll({ decoder, taken }: ApiRun, reader: RunReader, take: TakeEntries, over: Over): Promise<void> {
  while (!decoder.hasEnded) {
    const shown = await reader.next();
    if (decoder.hasEnded) over(reader.isGivenUp() ? "its turn is over" : "ended");
    if (shown.length > 0) await take(shown);
    reader.taken();
    taken();
  }
}

type RunReader = ReturnType<typeof createRunReader>;

/** Presents a run's streams as one: breaks in between are repaired and reported by a notice. */
function createRunReader(run: ApiRun) {
  const { decoder, now } = run;
  const waiter = new ChunkWaiter(run.signal);
  const clocks = createTurnClocks(run.clocks, now);
  const recovery = createRunRecovery(run.retries, run.acts);
  let action: RunAction = "say";
  let pauseMs = 0;
  let live: LiveRun | undefined;
  /** The turn has ended here, but not upstream. */
  let isGivenUp = false;

  const read = async (): Promise<Reading> => {
    // An abort ends the pause; opening the next stream detects it.
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: run.signal }).catch(() => undefined);
    pauseMs = 0;
    const opened = live ?? (await open(run, action));
    live = isLive(opened) ? opened : undefined;
    return isLive(opened) ? await readNext(run, opened, waiter, clocks) : opened;
  };

  /** Handles a stream that ended before its turn: what to report, and what to do next. */
  const recover = (end: StreamEnd): readonly Decoded[] => {
    const next = recovery.after(end);
    isGivenUp = next.kind === "fail";
    if (next.kind === "fail") return decoder.finish(failed(next.error));
    // Thoughts already shown stay; those of the next stream form a new block.
    const closed = next.action === "resume" ? [] : decoder.restarted();
    if (next.action === "resume") decoder.resumed();
    if (next.isToken) run.rejectToken();
    action = next.action;
    pauseMs = Math.min(next.delayMs, Math.max(0, clocks.deadline() - now()));
    return [...closed, ...noticeOf(next)];
  };

  const leaveStream = (): void => {
    live?.close();
    live = undefined;
  };

  return {
    /** What to show of the next read. */
    async next(): Promise<readonly LaneEntry[]> {
      const { entries, hasCheckpoint, end, isOver } = await read();
      isGivenUp = isOver === true;
      const shown = run.show(entries);
      run.acts.noteEvents(shown);
      if (hasCheckpoint) recovery.noteCheckpoint();
      clocks.note(entries);
      if (end === undefined) return shown;
      leaveStream();
      return decoder.hasEnded ? shown : [...shown, ...run.show(recover(end))];
    },
    taken: () => live?.taken(),
    async linger() {
      if (live !== undefined) await linger(run, live);
    },
    isGivenUp: () => isGivenUp,
    stop: leaveStream,
    close: () => waiter.close(),
  };
}

/** `isOver`: the turn was ended here, by a stop or a clock. */
type Reading = LiveRead & { readonly isOver?: true };

const nothing: LiveRead = { entries: [], hasCheckpoint: false, end: undefined };

function isLive(opened: LiveRun | Reading): opened is LiveRun {
  return "pull" in opened;
}

/** Opens the next stream; if that fails, returns what the failure means. */
async function open(run: ApiRun, action: RunAction): Promise<LiveRun | Reading> {
  try {
    run.signal.throwIfAborted();
    return await run.open(action);
  } catch (reason) {
    if (run.signal.aborted) return over(run, outcomeOfStop(run.signal));
    return { ...nothing, end: { kind: "dropped", error: CaretError.from(reason) } };
  }
}

/** Reads what the stream gives next, or interprets its silence. */
async function readNext(run: ApiRun, live: LiveRun, waiter: ChunkWaiter, clocks: TurnClocks): Promise<Reading> {
  const { now, retries } = run;
  const waitMs = Math.min(clocks.deadline() - now(), retries.stallMs);
  const next: NextChunk<StreamRead> = await waiter.next(live.pull(), waitMs);
  switch (next.kind) {
    case "chunk":
      return live.take(next.chunk);
    case "aborted":
      return over(run, outcomeOfStop(run.signal));
    case "expired":
      if (clocks.deadline() <= now()) return over(run, failed(clocks.expired()));
      return { ...nothing, end: { kind: "dropped", error: new CaretError("stalled", silence(retries.stallMs)) } };
    case "end":
      return { ...nothing, end: { kind: "ended" } };
  }
}

function silence(ms: number): string {
  return `The upstream sent nothing for ${ms} ms, not even a sign of life`;
}

function over({ decoder }: ApiRun, ending: Parameters<ApiRun["decoder"]["finish"]>[0]): Reading {
  return { ...nothing, entries: decoder.finish(ending), isOver: true };
}

function failed(error: CaretError) {
  return { kind: "failed", error: error.toInfo() } as const;
}

function noticeOf({ action, error, isToken }: Extract<Recovery, { kind: "again" }>): readonly Decoded[] {
  if (isToken) return [];
  const message =
    action === "resume"
      ? `The stream broke off (${error.message}); it goes on from the last checkpoint`
      : `The attempt failed (${error.message}); trying once more`;
  return [{ event: { type: "notice", kind: action === "resume" ? "reconnect" : "retry", message } }];
}

/** The turn is over, but upstream may still save its state: without the last checkpoint it would forget the turn. */
async function linger({ graceMs, now, signal }: ApiRun, live: LiveRun): Promise<void> {
  const waiter = new ChunkWaiter(signal);
  const until = now() + graceMs;
  try {
    for (;;) {
      const next = await waiter.next(live.pull(), until - now());
      if (next.kind !== "chunk" || live.take(next.chunk).end !== undefined) return;
    }
  } finally {
    waiter.close();
  }
}
