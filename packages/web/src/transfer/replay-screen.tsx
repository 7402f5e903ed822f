import type { EventEnvelope, NativeClient } from "@caret/protocol";
import { ArrowLeft, Pause, Play, RotateCcw } from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { Link } from "wouter";
import { useApi, useSession } from "../data/page-hooks.ts";
import { Badge, SimulatedBadge } from "../parts/badge.tsx";
import { Empty } from "../parts/placeholders.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { NowProvider } from "../parts/use-now.ts";
import { isTyping } from "../screen/is-typing.ts";
import { LoadedView, useLoaded } from "../screen/loaded-view.tsx";
import { Transcript } from "../transcript/transcript.tsx";
import { clockWord, planReplay, type ReplayPlan, type ReplaySpeed, replaySpeeds } from "./replay-plan.ts";
import { type Replay, useReplay } from "./use-replay.ts";

const speeds = replaySpeeds.map((speed) => ({ name: `${speed}`, label: `${speed}×` }) as const);

const PAGE = 5_000;

/** A session's log as it happened, at its own pace or faster. Nothing can be answered or sent in it: it is over. */
export function ReplayScreen({ sessionId }: { readonly sessionId: string }) {
  const api = useApi();
  const session = useSession(sessionId);
  const log = useLoaded(`log ${sessionId}`, (signal) => readWholeLog(api, sessionId, signal));
  // By the log and not by the session: one that was imported does not say.
  const isSimulated = log.value?.some(({ event }) => event.type === "turn-start" && event.lane === "sim") ?? false;
  return (
    <div className="flex h-full flex-col">
      <header className="flex min-h-12 items-center gap-3 border-line border-b px-3 md:px-4">
        <Link
          aria-label="Back to the session"
          className="grid size-10 shrink-0 place-items-center rounded-md text-soft hover:bg-panel hover:text-ink md:size-8"
          href={`/s/${sessionId}`}
        >
          <ArrowLeft aria-hidden="true" size={16} />
        </Link>
        <h1 className="min-w-0 truncate font-semibold">{session?.title ?? "Session"}</h1>
        <Badge>Replay</Badge>
        {isSimulated && <SimulatedBadge />}
      </header>
      {log.value === undefined ? (
        <div className="px-4">
          <LoadedView loaded={log} waiting="Reading the whole log">
            {() => null}
          </LoadedView>
        </div>
      ) : (
        <Player events={log.value} />
      )}
    </div>
  );
}

function Player({ events }: { readonly events: readonly EventEnvelope[] }) {
  const plan = useMemo(() => planReplay(events), [events]);
  const replay = useReplay(plan);
  useSpaceKey(replay.toggle);
  if (events.length === 0) return <Empty title="Nothing to replay">Nothing has happened in this session yet.</Empty>;
  return (
    <>
      <NowProvider value={replay.now}>
        <Transcript transcript={replay.transcript} />
      </NowProvider>
      <ReplayControls plan={plan} replay={replay} />
    </>
  );
}

/** Space plays and pauses, unless it means something else where the focus is. */
function useSpaceKey(toggle: () => void): void {
  const newest = useRef(toggle);
  newest.current = toggle;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isPressable = event.target instanceof Element && event.target.closest("button, a") !== null;
      if (event.key !== " " || isPressable || isTyping(event.target)) return;
      event.preventDefault();
      newest.current();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

/** Every event of the session up to now, page by page. */
export async function readWholeLog(
  api: Pick<NativeClient, "readLog">,
  sessionId: string,
  signal: AbortSignal,
): Promise<readonly EventEnvelope[]> {
  const events: EventEnvelope[] = [];
  for (let after = 0; ; ) {
    const page = await api.readLog(sessionId, { after, limit: PAGE }, { signal });
    for (const event of page.events) events.push(event);
    const last = page.events.at(-1);
    if (last === undefined || last.seq >= page.lastSeq) return events;
    after = last.seq;
  }
}

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
