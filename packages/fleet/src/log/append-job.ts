import { CaretError, type CommandKey } from "@caret/protocol";
import { type EventEntry, type LogWriter, type StoredEvent, unknownSession } from "@caret/runtime/log/event-store.ts";
import { advanceProgress, assertPosition, type SessionProgress } from "@caret/runtime/log/session-progress.ts";
import { cutRaw } from "@caret/runtime/log/stored-event.ts";
import type { SessionPlace } from "./session-sql.ts";

/** One pending call of `append`. */
export interface AppendJob {
  readonly expectedSeq: number;
  /** Builds the entries; a function passed for deferred entries is called once. */
  readonly entries: () => readonly EventEntry[];
  /** The entries were passed as a function, which may return none. */
  readonly isLater: boolean;
  readonly copied: boolean;
  readonly keepTrying: boolean;
  readonly writer: LogWriter | undefined;
  readonly command: CommandKey | undefined;
  resolve(stored: readonly StoredEvent[]): void;
  reject(error: CaretError): void;
}

/** Outcome of jobs written together: each one is taken if it fits the session's state by then, else refused. */
export interface AppendPlan {
  readonly taken: readonly { readonly job: AppendJob; readonly stored: readonly StoredEvent[] }[];
  readonly refused: readonly { readonly job: AppendJob; readonly error: CaretError }[];
  readonly stored: readonly StoredEvent[];
  readonly progress: SessionProgress;
}

export interface PlanContext {
  readonly sessionId: string;
  readonly place: SessionPlace;
  readonly fence: number | undefined;
  readonly now: number;
  readonly rawMaxBytes: number;
}

/** Pure, so it can be repeated when the session has moved on. */
export function planAppend(jobs: readonly AppendJob[], context: PlanContext): AppendPlan {
  const taken: { readonly job: AppendJob; readonly stored: readonly StoredEvent[] }[] = [];
  const refused: { readonly job: AppendJob; readonly error: CaretError }[] = [];
  let { progress } = context.place;
  for (const job of jobs) {
    const before = refused.find(({ job: { writer } }) => writer !== undefined && writer === job.writer)?.error;
    try {
      const stored = place(job, progress, { ...context, refusal: job.writer?.refused ?? before });
      progress = advanceProgress(progress, stored);
      taken.push({ job, stored });
    } catch (reason) {
      refused.push({ job, error: CaretError.from(reason) });
    }
  }
  return { taken, refused, progress, stored: taken.flatMap(({ stored }) => stored) };
}

/** Throws if the job's entries do not continue the session. */
function place(
  { entries, isLater, copied, expectedSeq }: AppendJob,
  progress: SessionProgress,
  { refusal, ...context }: PlanContext & { readonly refusal: CaretError | undefined },
): readonly StoredEvent[] {
  const { sessionId, fence } = context;
  const given = entries();
  if (isLater && given.length === 0) return [];
  if (refusal !== undefined) throw refusal;
  if (fence !== undefined && fence !== context.place.fence) throw leaseLost(sessionId);
  assertPosition(sessionId, progress, { expectedSeq, first: copied ? undefined : given[0] });
  return given.map((entry, index) => toStored(entry, expectedSeq + index + 1, context));
}

export function refuseAll(jobs: readonly AppendJob[], sessionId: string): AppendPlan["refused"] {
  return jobs.map((job) => ({ job, error: unknownSession(sessionId) }));
}

function toStored({ turnId, event, at, ...rest }: EventEntry, seq: number, context: PlanContext): StoredEvent {
  const { sessionId, now, rawMaxBytes } = context;
  if (at !== undefined && !Number.isSafeInteger(at))
    throw new CaretError("internal", `${at} is no time in whole milliseconds`);
  return { sessionId, seq, turnId, at: at ?? now, event, ...cutRaw(rest, rawMaxBytes) };
}

function leaseLost(sessionId: string): CaretError {
  return new CaretError("session-busy", `Another worker has the session ${sessionId} by now`);
}
