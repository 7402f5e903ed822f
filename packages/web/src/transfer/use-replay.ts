import type { Transcript } from "@caret/protocol";
import { useEffect, useState } from "react";
import {
  changeSpeed,
  positionAt,
  type ReplayClock,
  type ReplaySpeed,
  seek,
  startReplay,
  togglePlay,
} from "./replay-clock.ts";
import { momentAt, type ReplayPlan } from "./replay-plan.ts";
import { type ReplayView, replayBeginning, viewAt } from "./replay-view.ts";

export interface Replay {
  readonly transcript: Transcript;
  readonly position: number;
  /** What time it is in the replay. */
  readonly now: number;
  readonly isPlaying: boolean;
  readonly speed: ReplaySpeed;
  readonly toggle: () => void;
  readonly setSpeed: (speed: ReplaySpeed) => void;
  readonly seekTo: (position: number) => void;
}

interface Moment {
  readonly position: number;
  readonly view: ReplayView;
}

/** Plays the plan, one step for each frame in which something happened. */
export function useReplay(plan: ReplayPlan): Replay {
  const [clock, setClock] = useState<ReplayClock>(() => startReplay(plan.durationMs, performance.now()));
  const [moment, setMoment] = useState<Moment>({ position: 0, view: replayBeginning });
  useEffect(() => {
    let frame = 0;
    const show = (): void => {
      const position = positionAt(clock, performance.now());
      setMoment(({ view }) => ({ position, view: viewAt(plan, position, view) }));
      if (clock.isPlaying && position < plan.durationMs) frame = requestAnimationFrame(show);
    };
    show();
    return () => cancelAnimationFrame(frame);
  }, [clock, plan]);
  return {
    transcript: moment.view.transcript,
    position: moment.position,
    now: momentAt(plan, moment.position, moment.view.count),
    isPlaying: clock.isPlaying && moment.position < plan.durationMs,
    speed: clock.speed,
    toggle: () => setClock(togglePlay(clock, performance.now())),
    setSpeed: (speed) => setClock(changeSpeed(clock, speed, performance.now())),
    seekTo: (position) => setClock(seek(clock, position, performance.now())),
  };
}
