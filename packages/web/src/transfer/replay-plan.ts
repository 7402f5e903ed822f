import type { EventEnvelope } from "@caret/protocol";

export const replaySpeeds = [1, 4, 16] as const;

export type ReplaySpeed = (typeof replaySpeeds)[number];

/** Silences longer than these are shortened to them: nobody watches a night pass. */
const LONGEST_SILENCE_MS = 5_000;
const BETWEEN_TURNS_MS = 1_000;

/** When each event of a log happens in its replay. Times never go back, whatever the clock did while it was recorded. */
export interface ReplayPlan {
  readonly events: readonly EventEnvelope[];
  /** Milliseconds since the replay's beginning, one for each event. */
  readonly times: readonly number[];
  readonly durationMs: number;
  readonly isShortened: boolean;
  /** Where turns begin, for marks on the scrubber. */
  readonly turnTimes: readonly number[];
}

export function planReplay(events: readonly EventEnvelope[]): ReplayPlan {
  const times: number[] = [];
  const turnTimes: number[] = [];
  let time = 0;
  let isShortened = false;
  let previous: EventEnvelope | undefined;
  for (const event of events) {
    const isNewTurn = previous?.turnId !== event.turnId;
    if (previous !== undefined) {
      const silence = Math.max(0, event.at - previous.at);
      const shown = Math.min(silence, isNewTurn ? BETWEEN_TURNS_MS : LONGEST_SILENCE_MS);
      isShortened ||= shown < silence;
      time += shown;
    }
    if (isNewTurn) turnTimes.push(time);
    times.push(time);
    previous = event;
  }
  return { events, times, durationMs: time, isShortened, turnTimes };
}

/** How many events have happened at `time`. */
export function eventsUntil({ times }: ReplayPlan, time: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What a clock on the wall would have shown then, to the second. */
export function momentAt({ events, times }: ReplayPlan, time: number, count: number): number {
  const last = count - 1;
  const moment = (events[last]?.at ?? 0) + Math.max(0, time - (times[last] ?? 0));
  return Math.floor(moment / 1000) * 1000;
}

/** `1:05`, `1:02:03`. */
export function clockWord(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const rest = String(seconds % 60).padStart(2, "0");
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${String(minutes).padStart(2, "0")}:${rest}`;
}

/** Where a replay is. While it plays, it moves on from `position` as of `since`; otherwise it stands there. */
export interface ReplayClock {
  readonly position: number;
  readonly since: number;
  readonly speed: ReplaySpeed;
  readonly isPlaying: boolean;
  readonly durationMs: number;
}

export function startReplay(durationMs: number, now: number): ReplayClock {
  return { position: 0, since: now, speed: 1, isPlaying: true, durationMs };
}

export function positionAt({ position, since, speed, isPlaying, durationMs }: ReplayClock, now: number): number {
  return isPlaying ? Math.min(durationMs, position + Math.max(0, now - since) * speed) : position;
}

/** Pressing play at the end begins again. */
export function togglePlay(clock: ReplayClock, now: number): ReplayClock {
  const position = positionAt(clock, now);
  const isAtEnd = position >= clock.durationMs;
  if (clock.isPlaying && !isAtEnd) return { ...clock, position, since: now, isPlaying: false };
  return { ...clock, position: isAtEnd ? 0 : position, since: now, isPlaying: true };
}

export function changeSpeed(clock: ReplayClock, speed: ReplaySpeed, now: number): ReplayClock {
  return { ...clock, position: positionAt(clock, now), since: now, speed };
}

export function seek(clock: ReplayClock, position: number, now: number): ReplayClock {
  return { ...clock, position: Math.min(clock.durationMs, Math.max(0, position)), since: now };
}
