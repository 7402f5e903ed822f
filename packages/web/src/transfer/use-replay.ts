import { emptyTranscript, foldTranscript, type Transcript } from "@caret/protocol";
import { useEffect, useState } from "react";
import {
  changeSpeed,
  eventsUntil,
  momentAt,
  positionAt,
  type ReplayClock,
  type ReplayPlan,
  type ReplaySpeed,
  seek,
  startReplay,
  togglePlay,
} from "./replay-plan.ts";

export const replayBeginning: ReplayView = { count: 0, transcript: emptyTranscript };

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

/** What a replay shows at some moment: the session as it was after so many events. */
interface ReplayView {
  readonly count: number;
  readonly transcript: Transcript;
}

/** The view at `position`. Forwards it goes on from `view`; backwards it folds from the beginning, which takes milliseconds. */
export function viewAt(plan: ReplayPlan, position: number, view: ReplayView): ReplayView {
  const count = eventsUntil(plan, position);
  if (count === view.count) return view;
  const from = count > view.count ? view : replayBeginning;
  return { count, transcript: foldTranscript(from.transcript, plan.events.slice(from.count, count)) };
}
