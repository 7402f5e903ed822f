import { emptyTranscript, foldTranscript, type Transcript } from "@caret/protocol";
import { eventsUntil, type ReplayPlan } from "./replay-plan.ts";

/** What a replay shows at some moment: the session as it was after so many events. */
export interface ReplayView {
  readonly count: number;
  readonly transcript: Transcript;
}

export const replayBeginning: ReplayView = { count: 0, transcript: emptyTranscript };

/** The view at `position`. Forwards it goes on from `view`; backwards it folds from the beginning, which takes milliseconds. */
export function viewAt(plan: ReplayPlan, position: number, view: ReplayView): ReplayView {
  const count = eventsUntil(plan, position);
  if (count === view.count) return view;
  const from = count > view.count ? view : replayBeginning;
  return { count, transcript: foldTranscript(from.transcript, plan.events.slice(from.count, count)) };
}
