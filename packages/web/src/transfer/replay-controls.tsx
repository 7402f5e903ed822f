import { Pause, Play, RotateCcw } from "lucide-react";
import { Tabs } from "../parts/tabs.tsx";
import { type ReplaySpeed, replaySpeeds } from "./replay-clock.ts";
import { clockWord, type ReplayPlan } from "./replay-plan.ts";
import type { Replay } from "./use-replay.ts";

const speeds = replaySpeeds.map((speed) => ({ name: `${speed}`, label: `${speed}×` }) as const);

interface ReplayControlsProps {
  readonly replay: Replay;
  readonly plan: ReplayPlan;
}

export function ReplayControls({ replay, plan }: ReplayControlsProps) {
  const { position, isPlaying, speed } = replay;
  const isAtEnd = position >= plan.durationMs;
  const word = isPlaying ? "Pause" : isAtEnd ? "Play again" : "Play";
  const Icon = isPlaying ? Pause : isAtEnd ? RotateCcw : Play;
  return (
    <div className="border-line border-t bg-panel px-3 py-2 sm:px-4">
      <div className="mx-auto flex max-w-4xl flex-wrap items-center gap-x-3 gap-y-1">
        <button
          aria-label={word}
          className="grid size-10 shrink-0 cursor-pointer place-items-center rounded-full bg-accent text-on-accent sm:size-9"
          onClick={replay.toggle}
          title={`${word} (Space)`}
          type="button"
        >
          <Icon aria-hidden="true" size={18} />
        </button>
        <Scrubber plan={plan} replay={replay} />
        <span className="shrink-0 text-soft text-xs tabular-nums">
          {clockWord(position)} / {clockWord(plan.durationMs)}
        </span>
        <Tabs
          chosen={`${speed}`}
          label="Speed"
          onChoose={(name) => replay.setSpeed(Number(name) as ReplaySpeed)}
          tabs={speeds}
        />
        {plan.isShortened && <span className="text-faint text-xs">Long waits are shortened to 5 s.</span>}
      </div>
    </div>
  );
}

/** The marks are where turns begin. */
function Scrubber({ replay: { position, seekTo }, plan }: ReplayControlsProps) {
  const { durationMs, turnTimes } = plan;
  // An arrow key goes a two-hundredth further; the last step reaches the end.
  const step = Math.max(1, Math.round(durationMs / 200));
  // On a step exactly: the browser would put it on one, and React take that for a change by the reader.
  const shown = Math.round(position / step) * step;
  return (
    <span className="relative min-w-40 flex-1">
      <input
        aria-label="Position"
        aria-valuetext={`${clockWord(position)} of ${clockWord(durationMs)}`}
        className="block h-10 w-full cursor-pointer accent-accent sm:h-8"
        list="replay-turns"
        max={Math.ceil(durationMs / step) * step}
        min={0}
        onChange={(event) => seekTo(Number(event.target.value))}
        step={step}
        type="range"
        value={shown}
      />
      <datalist id="replay-turns">
        {turnTimes.map((time) => (
          <option key={time} value={time} />
        ))}
      </datalist>
    </span>
  );
}
