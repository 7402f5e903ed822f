export const replaySpeeds = [1, 4, 16] as const;
export type ReplaySpeed = (typeof replaySpeeds)[number];

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
