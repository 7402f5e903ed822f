import { useWaitingSessions } from "../data/use-waiting-sessions.ts";

/** How many sessions wait for a person. Nothing when none does. */
export function WaitingCount() {
  const { length } = useWaitingSessions();
  if (length === 0) return null;
  return (
    <span className="inline-flex h-5 min-w-5 items-center justify-center rounded-full bg-warn px-1.5 font-semibold text-[11px] text-page tabular-nums">
      {length}
      <span className="sr-only"> waiting for you</span>
    </span>
  );
}
